// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The commands of a copy refuse what cannot be meant, before they ask a broker. */
class CopyMainTest {

    private static final String ID = "000102030405060708090a0b0c0d0e0f";

    @ParameterizedTest
    @CsvSource({
        "recover, RING-ID is missing",
        "recover 00ff, 00ff is no RING-ID; write the 32 hexadecimal digits",
        "recover ID --to x, --topic is missing",
        "recover ID --topic t, --to FOLDER or --into RING is missing",
        "recover ID --topic t --to x --to y, --to is there twice",
        "recover ID --topic t --to x --into y, --to and --into exclude each other",
        "recover ID --topic t --to x --stream s, --stream is no option here",
        "recover ID --topic t --to x, bootstrap.servers is missing",
        "recover ID --topic, --topic is no option or lacks its value",
        "compare ID --topic t --with f --to x, --to is no option here",
        "compare ID --topic t --with f --property bootstrap.servers=b:1 --property acks=7, cannot be used",
        "compare ID more --topic t, more is no option or lacks its value"
    })
    void whatCannotBeMeantIsRefusedInOneSentence(String arguments, String sentence) {
        assertRefused(
                CopyMain.USAGE, sentence, arguments.replace("ID ", ID + " ").split(" "));
    }

    /** No broker is named: the folder is refused before any store is made. */
    @Test
    void aFolderThatIsThereIsRefusedBeforeTheCopyIsTakenOver(@TempDir Path there) {
        String folder = there.toString();
        assertRefused(CopyMain.FAILED, folder + " is there already", "recover", ID, "--topic", "t", "--to", folder);
    }

    private static void assertRefused(int code, String sentence, String... arguments) {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        int ended = CopyMain.run(arguments, System.out, new PrintStream(said));
        assertThat(said.toString(UTF_8).replace(",", "")).contains(sentence);
        assertThat(ended).isEqualTo(code);
    }
}
