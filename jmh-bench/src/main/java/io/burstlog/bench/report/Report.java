// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.report;
import io.burstlog.bench.harness.Options;
public final class Report { private Report() {} public static void run(Options o) { System.out.println(o); } }
