// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling.comparison;

import java.io.IOException;
import java.io.InputStream;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * Loads log4j-core and the appender a second time, with {@link SimulatedTime} in place of the system's. Log4j takes the
 * times in archives' names from the system on purpose, whatever clock its events have, so nothing less would do.
 */
final class SimulatedLog4j extends ClassLoader {

    private static final String TIME = "io/burstlog/log4j/rolling/comparison/SimulatedTime";
    private static final String ROLLING = "org/apache/logging/log4j/core/appender/rolling/";

    SimulatedLog4j() {
        super(SimulatedLog4j.class.getClassLoader());
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
        try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            final byte[] bytes = name.endsWith(".SimulatedTime") ? in.readAllBytes() : simulated(in.readAllBytes());
            return defineClass(name, bytes, 0, bytes.length);
        } catch (final IOException unreadable) {
            throw new ClassNotFoundException(name, unreadable);
        }
    }

    private static byte[] simulated(final byte[] bytes) {
        final ClassReader reader = new ClassReader(bytes);
        final ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        final String owner = reader.getClassName();
        reader.accept(
                new ClassVisitor(Opcodes.ASM9, writer) {
                    @Override
                    public MethodVisitor visitMethod(
                            final int access,
                            final String name,
                            final String descriptor,
                            final String signature,
                            final String[] exceptions) {
                        return new Calls(owner, super.visitMethod(access, name, descriptor, signature, exceptions));
                    }
                },
                0);
        return writer.toByteArray();
    }

    /** Replaces each call that asks the system for a time. */
    private static final class Calls extends MethodVisitor {

        private final String caller;

        Calls(final String caller, final MethodVisitor next) {
            super(Opcodes.ASM9, next);
            this.caller = caller;
        }

        @Override
        public void visitMethodInsn(
                final int opcode, final String owner, final String name, final String descriptor, final boolean itf) {
            switch (owner + "." + name) {
                case "java/lang/System.currentTimeMillis" -> simulated("currentTimeMillis", "()J");
                case "java/time/Clock.instant" -> simulated("instant", "(Ljava/time/Clock;)Ljava/time/Instant;");
                case ROLLING + "RollingFileManager.initialFileTime" -> simulated("birthOf", "(Ljava/io/File;)J");
                case "io/burstlog/StreamStats.fileBorn" -> {
                    super.visitMethodInsn(opcode, owner, name, descriptor, itf);
                    simulated("born", "(Ljava/time/Instant;)Ljava/time/Instant;");
                }
                case "org/apache/logging/log4j/core/config/ConfigurationScheduler.scheduleWithCron" -> {
                    simulated(
                            name,
                            descriptor.replace("(", "(Lorg/apache/logging/log4j/core/config/ConfigurationScheduler;"));
                }
                default -> {
                    if (owner.equals("java/util/Date") && name.equals("<init>") && descriptor.equals("()V")) {
                        simulated("currentTimeMillis", "()J");
                        super.visitMethodInsn(opcode, owner, name, "(J)V", itf);
                    } else if (owner.equals("java/io/File")
                            && name.equals("lastModified")
                            && caller.startsWith(ROLLING + "Rolling")) {
                        simulated("birthOf", "(Ljava/io/File;)J");
                    } else {
                        super.visitMethodInsn(opcode, owner, name, descriptor, itf);
                    }
                }
            }
        }

        @Override
        public void visitFieldInsn(final int opcode, final String owner, final String name, final String descriptor) {
            if (opcode == Opcodes.GETSTATIC && name.equals("JVM_START_TIME")) {
                simulated("startOfJvm", "()J");
            } else {
                super.visitFieldInsn(opcode, owner, name, descriptor);
            }
        }

        private void simulated(final String name, final String descriptor) {
            super.visitMethodInsn(Opcodes.INVOKESTATIC, TIME, name, descriptor, false);
        }
    }
}
