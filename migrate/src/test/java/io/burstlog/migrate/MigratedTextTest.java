// SPDX-License-Identifier: Apache-2.0
package io.burstlog.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The elements within a text, text that is no element, and the file that holds it. */
class MigratedTextTest {

    @TempDir
    Path folder;

    private String printed;

    private int migrate(final Path file, final String... options) {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final List<String> arguments = new ArrayList<>(List.of(options));
        arguments.add("--write");
        arguments.add(file.toString());
        final int code =
                Migrate.run(new PrintStream(bytes, true, StandardCharsets.UTF_8), arguments.toArray(String[]::new));
        printed = bytes.toString(StandardCharsets.UTF_8);
        return code;
    }

    private Path file(final String name, final String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private static String xml(final String appenders) {
        return "<Configuration><Appenders>" + appenders + "</Appenders></Configuration>";
    }

    @Test
    void an_escaped_quote_ends_no_string_of_json() throws Exception {
        final String text = "{\"name\": \"a \\\" b\", \"Appenders\": {\"File\": {\"fileName\": \"a\"}}}";
        final Path file = file("a.json", text);
        assertThat(migrate(file)).as(printed).isZero();
        assertThat(Files.readString(file)).isEqualTo(text.replace("\"File\"", "\"Burst\""));
    }

    @Test
    void what_looks_like_markup_in_a_document_type_or_in_cdata_is_none() throws Exception {
        final String text = "<!DOCTYPE c [<!ELEMENT File ANY> <!ENTITY e '<a><File/></a>'>]>"
                + xml("<Script><![CDATA[if (a <File fileName='x'> b) </Script>]]></Script><File fileName='a'/>");
        final Path file = file("a.xml", text);
        assertThat(migrate(file)).as(printed).isZero();
        assertThat(Files.readString(file)).isEqualTo(text.replace("<File fileName='a'/>", "<Burst fileName='a'/>"));
    }

    @Test
    void a_tab_before_a_key_of_yaml_is_refused() throws Exception {
        assertThat(migrate(file("a.yaml", "Appenders:\n\tFile:\n"))).isEqualTo(2);
        assertThat(printed).contains("line 2: YAML permits no tab before a key");
    }

    @Test
    void append_false_is_left_in_any_letters() throws Exception {
        assertThat(migrate(file("a.xml", xml("<File fileName='a' append='False'/>"))))
                .isEqualTo(1);
    }

    @Test
    void an_element_that_names_no_file_is_left() throws Exception {
        assertThat(migrate(file("a.xml", xml("<File name='A'/>")))).isEqualTo(1);
        assertThat(printed).contains("it has neither fileName nor filePattern");
    }

    @Test
    void what_is_of_rolling_is_set_where_files_roll() throws Exception {
        final Path file = file("a.xml", xml("<File fileName='a'/><RollingFile filePattern='b'/>"));
        assertThat(migrate(file, "--set", "compressDelay=0")).isZero();
        assertThat(Files.readString(file))
                .isEqualTo(xml("<Burst fileName='a'/><Burst compressDelay=\"0\" filePattern='b'/>"));
    }

    @Test
    void a_padded_index_is_one() throws Exception {
        final String rolling =
                "<RollingFile fileName='a' filePattern='a-%s'><SizeBasedTriggeringPolicy/></RollingFile>";
        for (final String index : List.of("%i", "%03i", "%-5i")) {
            migrate(file("a" + index + ".xml", xml(rolling.formatted(index))));
            assertThat(printed).doesNotContain("has no %i");
        }
        migrate(file("a.xml", xml(rolling.formatted("%d"))));
        assertThat(printed).contains("has no %i");
    }

    @Test
    void two_appenders_of_one_file_are_said() throws Exception {
        migrate(file("a.xml", xml("<File name='A' fileName='a'/><File name='B' fileName='a'/>")));
        assertThat(printed).contains("File \"B\" note: it writes to the file of \"A\"");
    }

    @Test
    void a_link_stays_a_link_and_its_file_keeps_its_mode() throws Exception {
        final Path file = file("real.xml", xml("<File fileName='a'/>"));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        final Path link = Files.createSymbolicLink(folder.resolve("link.xml"), file);
        assertThat(migrate(link)).as(printed).isZero();
        assertThat(link).isSymbolicLink();
        assertThat(Files.readString(file)).isEqualTo(xml("<Burst fileName='a'/>"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-rw-rw-");
        assertThat(folder.resolve("link.xml.before-burst")).hasContent(xml("<File fileName='a'/>"));
    }
}
