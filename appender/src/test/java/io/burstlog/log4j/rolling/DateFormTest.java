// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import java.text.SimpleDateFormat;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.Locale;
import org.apache.logging.log4j.core.pattern.DatePatternConverter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DateFormTest {

    private static final String WITH_NAMES = "yyyy-MMM-dd_EEEE_hh_a";
    private static final Instant BEGIN = Instant.parse("2026-11-22T10:30:00Z");
    private static final int DAYS = 400;

    private final Locale before = Locale.getDefault();

    @AfterEach
    void speakAsBefore() {
        Locale.setDefault(before);
    }

    private static DatePatternConverter converter(final String... options) {
        return DatePatternConverter.newInstance(options);
    }

    private static Date date(final int day) {
        return Date.from(BEGIN.plus(Duration.ofHours(29L * day)));
    }

    private static void assertKnowsAll(final DatePatternConverter converter) {
        final String regex = DateForm.regexOf(converter);
        for (int day = 0; day < DAYS; day++) {
            final StringBuilder text = new StringBuilder();
            converter.format(text, date(day));
            assertThat(text.toString()).matches(regex);
        }
    }

    /** In some languages a name has spaces, hyphens, digits, or marks that are no letters. */
    @ParameterizedTest
    @ValueSource(strings = {"en", "de", "fr", "es", "pt-BR", "ca", "vi", "ja", "ko", "zh", "th", "hi", "he", "ar"})
    void names_of_months_and_days_are_known_in_the_language_of_the_process(final String language) {
        Locale.setDefault(Locale.forLanguageTag(language));
        assertKnowsAll(converter(WITH_NAMES));
        final String regex = DateForm.regexOfLookup(WITH_NAMES);
        final SimpleDateFormat lookup = new SimpleDateFormat(WITH_NAMES);
        for (int day = 0; day < DAYS; day++) {
            assertThat(lookup.format(date(day))).matches(regex);
        }
    }

    /** Log4j knows a third option from 2.25 on. */
    @Test
    void names_are_known_in_the_language_of_the_pattern() {
        assertKnowsAll(converter(WITH_NAMES, "UTC", "ja"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"22 Nov 2026", "22 M\u00e4rz 2026", "22 nov. 2026"})
    void a_name_that_is_a_word_is_known_after_a_change_of_the_language(final String text) {
        Locale.setDefault(Locale.JAPAN);
        assertThat(text)
                .matches(DateForm.regexOf(converter("dd MMM yyyy")))
                .matches(DateForm.regexOfLookup("dd MMM yyyy"));
    }

    @ParameterizedTest
    @CsvSource({"MMM, 12", "MMM, Nov-1", "MMM, Nov 1", "yyyy-MM, 2026-Nov", "yyyy-MM, 2026-123", "EEE, Mon1"})
    void a_text_of_another_form_is_not(final String format, final String text) {
        Locale.setDefault(Locale.ENGLISH);
        assertThat(text).doesNotMatch(DateForm.regexOf(converter(format))).doesNotMatch(DateForm.regexOfLookup(format));
    }

    @Test
    void a_format_may_have_a_quote_and_may_be_unreadable() {
        assertThat("07'30").matches(DateForm.regexOfLookup("HH''mm"));
        assertThat(DateForm.regexOfLookup("'")).isNotNull();
    }
}
