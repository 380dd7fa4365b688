// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JsonTest {

    @Test
    void whatIsWrittenIsReadBack(@TempDir Path directory) throws Exception {
        Map<String, Object> value = new LinkedHashMap<>();
        value.put("text", "a \"quoted\" \\ line\n\tand \u0001 more, \u00b5s");
        value.put("numbers", List.of(1L, -2L, 3.5));
        value.put("objects", List.of(Map.of("yes", true), Map.of("no", false)));
        value.put("nothing", null);
        value.put("empty", List.of());
        Path file = directory.resolve("value.json");

        Json.write(file, value);

        assertThat(Json.readObject(file)).isEqualTo(value);
    }

    @Test
    void aNumberThatIsNoneIsWrittenAsNullAndReadAsNone() throws Exception {
        assertThat(Json.number(null)).isNaN();
        assertThat(Json.number("NaN")).isNaN();
        assertThat(Json.number(Json.parse("1.5e3"))).isEqualTo(1500);
    }

    @Test
    void brokenTextIsRefusedWithItsPlace() {
        assertThatThrownBy(() -> Json.parse("{\"a\": 1,, }"))
                .hasMessage("The JSON text has ',' at character 8 where '\"' is expected.");
        assertThatThrownBy(() -> Json.parse("[1, 2")).hasMessageContaining("the end at character 5");
        assertThatThrownBy(() -> Json.parse("[1] 2")).hasMessageContaining("where the end is expected");
    }
}
