/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls for each record, as JNI methods of a Java class.
 *
 * JNA loads this library, and the JVM's own lookup of native methods does not know libraries that JNA loaded. So JNA
 * makes one call, burst_register, which hands the table below to the JVM. That leaves one copy of the library in the
 * process, no exported JNI symbol, and a JNI call for each record.
 *
 * A record belongs to a stream, so the calls that write one take the handle of a stream; a log's handle stands for its
 * main stream. Handles and addresses travel as jlong. They come from the library, or from a direct buffer that the
 * caller keeps reachable. A closed handle stays valid: late calls get -ESHUTDOWN.
 */
#include "burstlog.h"

#include <errno.h>
#include <jni.h>

#include "base/error.h"

static burst_t *log_of(jlong handle) {
    return (burst_t *)(uintptr_t)handle;
}

static burst_stream_t *stream_of(jlong handle) {
    return (burst_stream_t *)(uintptr_t)handle;
}

static const void *data_of(jlong address) {
    return (const void *)(uintptr_t)address;
}

static jlong JNICALL jni_append(JNIEnv *env, jobject self, jlong stream, jlong address, jint length,
                                jlong event_time_ns) {
    (void)env, (void)self;
    return burst_stream_append(stream_of(stream), data_of(address), (size_t)length, event_time_ns);
}

static jlong JNICALL jni_enqueue(JNIEnv *env, jobject self, jlong stream, jlong address, jint length,
                                 jlong event_time_ns) {
    (void)env, (void)self;
    return burst_stream_enqueue(stream_of(stream), data_of(address), (size_t)length, event_time_ns);
}

static jlong JNICALL jni_offer(JNIEnv *env, jobject self, jlong stream, jlong address, jint length,
                               jlong event_time_ns) {
    (void)env, (void)self;
    return burst_stream_offer(stream_of(stream), data_of(address), (size_t)length, event_time_ns);
}

static jlong JNICALL jni_append_within(JNIEnv *env, jobject self, jlong stream, jlong address, jint length,
                                       jlong event_time_ns, jint on_full, jlong timeout_ns) {
    (void)env, (void)self;
    return burst_stream_append_within(stream_of(stream), data_of(address), (size_t)length, event_time_ns,
                                      (enum burst_on_full)on_full, timeout_ns);
}

static jlong JNICALL jni_enqueue_within(JNIEnv *env, jobject self, jlong stream, jlong address, jint length,
                                        jlong event_time_ns, jint on_full, jlong timeout_ns) {
    (void)env, (void)self;
    return burst_stream_enqueue_within(stream_of(stream), data_of(address), (size_t)length, event_time_ns,
                                       (enum burst_on_full)on_full, timeout_ns);
}

static jlong JNICALL jni_durable_sequence(JNIEnv *env, jobject self, jlong handle) {
    (void)env, (void)self;
    return burst_durable_sequence(log_of(handle));
}

static jint JNICALL jni_await_durable(JNIEnv *env, jobject self, jlong handle, jlong sequence, jlong timeout_ns) {
    (void)env, (void)self;
    return burst_await_durable(log_of(handle), sequence, timeout_ns);
}

static jlong JNICALL jni_put(JNIEnv *env, jobject self, jlong stream, jlong address, jint length, jlong event_time_ns,
                             jint on_full, jint choices) {
    (void)env, (void)self;
    return burst_stream_put(stream_of(stream), data_of(address), (size_t)length, event_time_ns,
                            (enum burst_on_full)on_full, (uint32_t)choices);
}

static jint JNICALL jni_await_progress(JNIEnv *env, jobject self, jlong handle, jlong progress, jlong timeout_ns) {
    (void)env, (void)self;
    return burst_await_progress(log_of(handle), (burst_progress_t *)(uintptr_t)progress, timeout_ns);
}

static void JNICALL jni_nudge(JNIEnv *env, jobject self, jlong handle) {
    (void)env, (void)self;
    burst_nudge(log_of(handle));
}

static jint JNICALL jni_is_drained(JNIEnv *env, jobject self, jlong handle, jlong stream, jlong sequence) {
    (void)env, (void)self;
    return stream == 0 ? burst_is_drained(log_of(handle), sequence)
                       : burst_stream_is_drained(stream_of(stream), sequence);
}

int burst_register(void *jni_env, void *java_class) {
    JNIEnv *env = jni_env;
    jclass type = java_class;
    /* jni.h declares the strings as char *, but the JVM only reads them. */
    const JNINativeMethod methods[] = {
        {(char *)"append", (char *)"(JJIJ)J", (void *)jni_append},
        {(char *)"enqueue", (char *)"(JJIJ)J", (void *)jni_enqueue},
        {(char *)"offer", (char *)"(JJIJ)J", (void *)jni_offer},
        {(char *)"appendWithin", (char *)"(JJIJIJ)J", (void *)jni_append_within},
        {(char *)"enqueueWithin", (char *)"(JJIJIJ)J", (void *)jni_enqueue_within},
        {(char *)"durableSequence", (char *)"(J)J", (void *)jni_durable_sequence},
        {(char *)"awaitDurable", (char *)"(JJJ)I", (void *)jni_await_durable},
        {(char *)"put", (char *)"(JJIJII)J", (void *)jni_put},
        {(char *)"awaitProgress", (char *)"(JJJ)I", (void *)jni_await_progress},
        {(char *)"nudge", (char *)"(J)V", (void *)jni_nudge},
        {(char *)"isDrained", (char *)"(JJJ)I", (void *)jni_is_drained},
    };
    if (!env || !type)
        return error_set(EINVAL,
                         "burst_register needs the JNIEnv of the calling thread and a class; one of them is NULL");
    if ((*env)->RegisterNatives(env, type, methods, sizeof(methods) / sizeof(methods[0])) != JNI_OK) {
        (*env)->ExceptionClear(env);
        return error_set(
            EINVAL,
            "the Java class lacks one of the native methods append, enqueue, offer, appendWithin, enqueueWithin, "
            "durableSequence, awaitDurable, put, awaitProgress, nudge and isDrained; use the jar and the library of one "
            "version");
    }
    return 0;
}
