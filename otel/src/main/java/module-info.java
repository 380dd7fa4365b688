// SPDX-License-Identifier: Apache-2.0

/** An exporter of OpenTelemetry: an export succeeds when its batch is durable. */
module io.burstlog.otel {
    requires com.fasterxml.jackson.core;
    requires transitive io.burstlog;
    requires io.opentelemetry.api;
    requires transitive io.opentelemetry.sdk.common;
    requires transitive io.opentelemetry.sdk.logs;

    exports io.burstlog.otel;
}
