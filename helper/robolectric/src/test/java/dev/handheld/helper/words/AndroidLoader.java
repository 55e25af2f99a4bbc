package dev.handheld.helper.words;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.commons.GeneratorAdapter;

/**
 * Android's classes of one release on a JVM. Native methods and the methods in {@link #ANSWERED} ask
 * {@link Answers} instead, and {@link #standIn} derives classes whose every method does.
 */
public final class AndroidLoader extends ClassLoader {
    /** Where Android looks up its services, and what needs a running system. */
    private static final Set<String> ANSWERED = new HashSet<>(Arrays.asList(
            "android/app/ActivityManager.getService",
            "android/app/ActivityTaskManager.getService",
            "android/app/ActivityThread.getPackageManager",
            "android/app/ActivityThread.getPermissionManager",
            "android/app/ActivityThread.currentActivityThread",
            "android/app/NotificationManager.getService",
            "android/hardware/input/InputManager.getInstance",
            "android/hardware/input/InputManagerGlobal.getInstance",
            "android/os/ServiceManager.getService",
            "android/os/ServiceManager.getServiceOrThrow",
            "com/android/server/LocalServices.getService",
            "libcore/util/NativeAllocationRegistry.registerNativeAllocation"));

    /** Only stand-ins of these exist: what their classes start must not start. */
    private static final Pattern SERVICE = Pattern.compile(
            "com/android/server/.*ManagerService|android/permission/PermissionManager|android/content/pm/PackageManager");

    private static final String COPY = "(Ljava/lang/Object;ILjava/lang/Object;II)V";
    private static final Type ASKED = Type.getType(Answers.class);
    private static final org.objectweb.asm.commons.Method ASK =
            new org.objectweb.asm.commons.Method(
                    "ask", "(Ljava/lang/String;Ljava/lang/String;[Ljava/lang/Object;)Ljava/lang/Object;");

    private final JarFile jar;
    private final String inside;
    private final Map<String, Class<?>> standIns = new LinkedHashMap<>();

    /** @param inside the start of the names of our own classes that call Android's */
    AndroidLoader(File jar, String inside) throws IOException {
        super(AndroidLoader.class.getClassLoader());
        this.jar = new JarFile(jar);
        this.inside = inside;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            Class<?> found = findLoadedClass(name);
            if (found == null) {
                byte[] code = name.startsWith("java.") ? null : read(name);
                found = code == null ? outside(name) : define(name, code);
            }
            return found;
        }
    }

    /** Classes of Android's that the jar lacks, such as those of its modules, are empty. */
    private Class<?> outside(String name) throws ClassNotFoundException {
        try {
            return super.loadClass(name, false);
        } catch (ClassNotFoundException e) {
            if (!name.startsWith("android.") && !name.startsWith("com.android.")) {
                throw e;
            }
            ClassWriter empty = new ClassWriter(0);
            empty.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, name.replace('.', '/'), null, "java/lang/Object", null);
            return define(name, empty.toByteArray());
        }
    }

    private Class<?> define(String name, byte[] code) {
        return defineClass(name, code, 0, code.length);
    }

    private byte[] read(String name) throws ClassNotFoundException {
        String path = name.replace('.', '/') + ".class";
        JarEntry entry = jar.getJarEntry(path);
        try {
            if (entry != null) {
                try (InputStream stream = jar.getInputStream(entry)) {
                    return rewrite(stream);
                }
            }
            if (!name.startsWith(inside)) {
                return null;
            }
            try (InputStream stream = getResourceAsStream(path)) {
                ByteArrayOutputStream code = new ByteArrayOutputStream();
                byte[] part = new byte[8192];
                for (int size = stream.read(part); size >= 0; size = stream.read(part)) {
                    code.write(part, 0, size);
                }
                return code.toByteArray();
            }
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    /** Answers native methods, opens final classes, and lets an older JVM read newer files. */
    private static byte[] rewrite(InputStream stream) throws IOException {
        ClassReader reader = new ClassReader(stream);
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
            private String owner;

            @Override
            public void visit(int version, int access, String name, String signature, String parent, String[] faces) {
                owner = name;
                int newest = Math.min(version & 0xffff, Opcodes.V17);
                super.visit(newest, access & ~Opcodes.ACC_FINAL, name, signature, parent, faces);
            }

            @Override
            public void visitPermittedSubclass(String name) {}

            @Override
            public MethodVisitor visitMethod(int access, String name, String type, String signature, String[] thrown) {
                if (name.equals("<clinit>") && SERVICE.matcher(owner).matches()) {
                    return null;
                }
                boolean isNative = (access & Opcodes.ACC_NATIVE) != 0;
                if (!isNative && !ANSWERED.contains(owner + "." + name)) {
                    int open = name.startsWith("<") ? access : access & ~Opcodes.ACC_FINAL;
                    return new MethodVisitor(Opcodes.ASM9, super.visitMethod(open, name, type, signature, thrown)) {
                        @Override
                        public void visitMethodInsn(int code, String owner, String name, String type, boolean face) {
                            // Android's Java has a form for each type of array.
                            boolean copy = owner.equals("java/lang/System") && name.equals("arraycopy");
                            if (owner.equals("java/util/Locale") && name.equals("adjustLanguageCode")) {
                                return; // the same language, but for old codes
                            }
                            super.visitMethodInsn(code, owner, name, copy ? COPY : type, face);
                        }
                    };
                }
                int real = access & ~Opcodes.ACC_NATIVE;
                ask(super.visitMethod(real, name, type, signature, thrown), real, owner, name, type);
                return null;
            }
        }, ClassReader.SKIP_DEBUG);
        return writer.toByteArray();
    }

    private static void ask(MethodVisitor into, int access, String owner, String name, String type) {
        GeneratorAdapter code = new GeneratorAdapter(into, access, name, type);
        code.visitCode();
        code.push(owner.substring(owner.lastIndexOf('/') + 1) + "." + name);
        code.push(Type.getReturnType(type).getDescriptor());
        code.loadArgArray();
        code.invokeStatic(ASKED, ASK);
        code.unbox(Type.getReturnType(type));
        code.returnValue();
        code.endMethod();
    }

    /** A class with the same methods, each of which asks {@link Answers}. */
    public Class<?> standIn(Class<?> original) {
        return standIns.computeIfAbsent(original.getName(), name -> generate(original));
    }

    private Class<?> generate(Class<?> original) {
        String parent = Type.getInternalName(original);
        String name = parent + "$StandIn";
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        boolean face = original.isInterface();
        writer.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, name, null, face ? "java/lang/Object" : parent,
                face ? new String[] {parent} : null);
        Map<String, Method> methods = new LinkedHashMap<>();
        for (Class<?> at = original; at != null && at != Object.class; at = at.getSuperclass()) {
            collect(at, methods);
        }
        for (Class<?> at : faces(original, new HashSet<>())) {
            collect(at, methods);
        }
        for (Method method : methods.values()) {
            if (Modifier.isFinal(method.getModifiers())) {
                continue;
            }
            int access = method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED);
            String type = Type.getMethodDescriptor(method);
            ask(writer.visitMethod(access, method.getName(), type, null, null), access, parent,
                    method.getName(), type);
        }
        writer.visitEnd();
        return define(name.replace('/', '.'), writer.toByteArray());
    }

    private static void collect(Class<?> at, Map<String, Method> methods) {
        for (Method method : at.getDeclaredMethods()) {
            int closed = Modifier.STATIC | Modifier.PRIVATE;
            if ((method.getModifiers() & closed) == 0) {
                methods.putIfAbsent(method.getName() + Type.getMethodDescriptor(method), method);
            }
        }
    }

    private static Set<Class<?>> faces(Class<?> of, Set<Class<?>> found) {
        for (Class<?> at = of; at != null; at = at.getSuperclass()) {
            if (at.isInterface()) {
                found.add(at);
            }
            for (Class<?> face : at.getInterfaces()) {
                faces(face, found);
            }
        }
        return found;
    }
}
