// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

import com.sun.jna.Function;
import com.sun.jna.JNIEnv;
import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import io.burstlog.Binding;
import java.util.Map;

/**
 * The native library, loaded once for each class loader that holds this class, and its two bindings.
 *
 * <p>The order matters: it checks the file's architecture before the dynamic linker sees the file, and the ABI version
 * before it calls any other function.
 */
public final class EngineLibrary {

    private static final int ABI_VERSION = 1;

    private static final int RTLD_NOW = 0x2;

    /**
     * The engine's threads outlive the class loader of a log that nobody closed, so their code must stay mapped.
     * Without RTLD_GLOBAL, which is JNA's default, two copies in one process keep their symbols apart.
     */
    private static final int RTLD_NODELETE = 0x1000;

    private static final Map<String, ?> LOAD_OPTIONS = Map.of(Library.OPTION_OPEN_FLAGS, RTLD_NOW | RTLD_NODELETE);

    private static EngineLibrary loaded;

    private final LibraryLocation location;
    private final NativeLibrary library;
    private RecordCalls jniCalls;

    private EngineLibrary(LibraryLocation location, NativeLibrary library) {
        this.location = location;
        this.library = library;
    }

    /**
     * Returns the library of this class loader, which the first call loads.
     *
     * @param explicitPath the only file to load, or null to search
     */
    public static synchronized EngineLibrary load(String explicitPath) {
        LibraryLocation location = LibraryLocation.of(explicitPath);
        if (loaded != null) {
            if (location.isExplicit() && !location.equals(loaded.location)) {
                throw new LibraryException("The Burstlog library " + location + " was asked for, but " + loaded.location
                        + " is already loaded; use one library in one class loader.");
            }
            return loaded;
        }
        JnaPart.require();
        NativeLibrary library = location.load(LOAD_OPTIONS);
        requireAbi(location, library);
        try {
            Native.register(Engine.class, library);
        } catch (LinkageError failure) {
            throw new LibraryException(
                    "The Burstlog library " + location.nameOf(library) + " lacks a function (" + failure.getMessage()
                            + "); use the library and the jar of one version.",
                    failure);
        }
        loaded = new EngineLibrary(location, library);
        return loaded;
    }

    /** Returns the calls for each record, through the given binding. */
    public synchronized RecordCalls recordCalls(Binding binding) {
        if (binding == Binding.JNA) {
            return new JnaCalls();
        }
        if (jniCalls == null) {
            jniCalls = registerJniCalls();
        }
        return jniCalls;
    }

    private RecordCalls registerJniCalls() {
        int result;
        try {
            Function register = library.getFunction("burst_register");
            Object[] arguments = {JNIEnv.CURRENT, JniCalls.class};
            result = (int) register.invoke(int.class, arguments, Map.of(Library.OPTION_ALLOW_OBJECTS, true));
        } catch (UnsatisfiedLinkError failure) {
            throw new LibraryException(
                    "The Burstlog library " + location.nameOf(library)
                            + " was built without JNI; use binding jna or a library built with a JDK.",
                    failure);
        }
        if (result != 0) {
            throw new LibraryException("The Burstlog library " + location.nameOf(library)
                    + " cannot bind its JNI methods: " + Engine.lastError());
        }
        return new JniCalls();
    }

    private static void requireAbi(LibraryLocation location, NativeLibrary library) {
        int version;
        try {
            version = library.getFunction("burst_abi_version").invokeInt(new Object[0]);
        } catch (UnsatisfiedLinkError failure) {
            throw new LibraryException(
                    "The file " + location.nameOf(library) + " is not a Burstlog library (it has no function"
                            + " burst_abi_version); name the libburstlog.so that belongs to this version.",
                    failure);
        }
        if (version != ABI_VERSION) {
            throw new LibraryException("The Burstlog library " + location.nameOf(library) + " has ABI version "
                    + Integer.toUnsignedString(version) + ", but this jar needs version " + ABI_VERSION
                    + "; use the library and the jar of one version.");
        }
    }
}
