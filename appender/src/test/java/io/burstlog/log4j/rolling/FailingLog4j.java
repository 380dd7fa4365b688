// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.io.IOException;
import java.io.InputStream;
import java.util.Set;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * Loads log4j-core and the appender a second time, with {@link FailingCalls} before each call by which rolling changes
 * or reads files. Log4j's strategies and actions make some of these calls, and take no other file system.
 */
final class FailingLog4j extends ClassLoader {

    private static final String CALLS = "io/burstlog/log4j/rolling/FailingCalls";
    private static final String OF_LOG4J = "org.apache.logging.log4j.core.appender.rolling.";
    private static final Set<String> OWNERS =
            Set.of("java/nio/file/Files", "java/nio/channels/FileChannel", "java/nio/file/DirectoryStream");

    /** They report no error: a file that they cannot see does not exist for them. */
    private static final Set<String> NEVER_FAIL =
            Set.of("exists", "notExists", "isDirectory", "isRegularFile", "isSymbolicLink", "getFileAttributeView");

    FailingLog4j() {
        super(FailingLog4j.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(final String name, final boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith("org.apache.logging.log4j.core.") && !name.startsWith("io.burstlog.log4j.")) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            final Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : define(name);
        }
    }

    private Class<?> define(final String name) throws ClassNotFoundException {
        final String file = name.replace('.', '/') + ".class";
        try (InputStream in = getParent().getResourceAsStream(file)) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            final boolean isUnderTest = name.startsWith(OF_LOG4J)
                    || name.startsWith("io.burstlog.log4j.rolling.")
                            && !getParent().getResource(file).getPath().contains("/test-classes/");
            final byte[] bytes = isUnderTest ? failing(in.readAllBytes()) : in.readAllBytes();
            return defineClass(name, bytes, 0, bytes.length);
        } catch (final IOException unreadable) {
            throw new ClassNotFoundException(name, unreadable);
        }
    }

    private static byte[] failing(final byte[] bytes) {
        final ClassReader reader = new ClassReader(bytes);
        final ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(
                new ClassVisitor(Opcodes.ASM9, writer) {
                    @Override
                    public MethodVisitor visitMethod(
                            final int access,
                            final String name,
                            final String descriptor,
                            final String signature,
                            final String[] exceptions) {
                        return new Calls(super.visitMethod(access, name, descriptor, signature, exceptions));
                    }
                },
                0);
        return writer.toByteArray();
    }

    private static final class Calls extends MethodVisitor {

        Calls(final MethodVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visitMethodInsn(
                final int opcode, final String owner, final String name, final String descriptor, final boolean itf) {
            if (OWNERS.contains(owner) && !NEVER_FAIL.contains(name)) {
                super.visitLdcInsn(owner.substring(owner.lastIndexOf('/') + 1) + "." + name);
                super.visitMethodInsn(Opcodes.INVOKESTATIC, CALLS, "before", "(Ljava/lang/String;)V", false);
            }
            super.visitMethodInsn(opcode, owner, name, descriptor, itf);
        }
    }
}
