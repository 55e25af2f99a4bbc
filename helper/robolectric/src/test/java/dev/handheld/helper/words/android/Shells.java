package dev.handheld.helper.words.android;

import dev.handheld.helper.words.AndroidLoader;
import dev.handheld.helper.words.Answers;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The shell commands of Android's services. A request has a field for the service, one for what
 * methods answer, and the arguments; its reply has the output, the errors, the exit code and the
 * intents that services received. A request that begins with a plus sign adds to what is installed.
 */
public final class Shells implements Function<String, String> {
    private static final Map<String, String> CLASSES = new HashMap<>();

    static {
        CLASSES.put("activity", "com.android.server.am.ActivityManagerShellCommand");
        CLASSES.put("package", "com.android.server.pm.PackageManagerShellCommand");
        CLASSES.put("input", "com.android.server.input.InputShellCommand");
        CLASSES.put("notification", "com.android.server.notification.NotificationShellCmd");
        CLASSES.put("statusbar", "com.android.server.statusbar.StatusBarShellCommand");
        CLASSES.put("uimode", "com.android.server.UiModeManagerService$Shell");
        CLASSES.put("window", "com.android.server.wm.WindowManagerShellCommand");
    }

    /** Fields of a stand-in that commands read. */
    private static final List<String> FILLED =
            Arrays.asList("android.content.Context", "com.android.server.am.UserController");

    private final Services services = new Services(this::standIn);

    public Shells() {
        Answers.use(services);
    }

    @Override
    public String apply(String line) {
        String[] fields = line.split("\t", -1);
        for (int i = 0; i < fields.length; i++) {
            fields[i] = unescape(fields[i]);
        }
        try {
            if (fields[0].startsWith("+")) {
                services.add(fields);
                return "";
            }
            services.answer(fields[1]);
            if (fields[0].equals("record")) {
                String[] words = Arrays.copyOfRange(fields, 2, fields.length);
                return escape(Records.dump(words, this::standIn, Shells::allocate)) + "\t\t0";
            }
            if (fields[0].equals("configuration")) {
                return escape(services.configuration()) + "\\n\t\t0";
            }
            return run(fields[0], Arrays.copyOfRange(fields, 2, fields.length));
        } catch (ReflectiveOperationException | IOException e) {
            StringWriter trace = new StringWriter();
            e.printStackTrace(new PrintWriter(trace));
            return "!" + escape(trace.toString());
        }
    }

    private String run(String service, String[] arguments) throws ReflectiveOperationException, IOException {
        Class<?> type = Class.forName(CLASSES.get(service));
        if (type.getDeclaredConstructors().length == 0) {
            return "!absent";
        }
        Object command = create(type);
        File out = File.createTempFile("words", ".out");
        File err = File.createTempFile("words", ".err");
        int code;
        try (FileInputStream from = new FileInputStream("/dev/null");
                FileOutputStream to = new FileOutputStream(out);
                FileOutputStream errors = new FileOutputStream(err)) {
            code = (Integer) exec().invoke(
                    command, null, from.getFD(), to.getFD(), errors.getFD(), arguments,
                    standIn(Class.forName("android.os.ShellCallback")), standIn(Class.forName("android.os.ResultReceiver")));
        }
        String reply = read(out) + "\t" + read(err) + "\t" + (code & 0xff);
        StringBuilder intents = new StringBuilder();
        for (String intent : services.intents()) {
            intents.append("\t").append(escape(intent));
        }
        return reply + intents;
    }

    private static String read(File file) throws IOException {
        String text = new String(Files.readAllBytes(file.toPath()), StandardCharsets.UTF_8);
        Files.delete(file.toPath());
        return escape(text);
    }

    private static String escape(String text) {
        return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t");
    }

    private static String unescape(String field) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < field.length(); i++) {
            char at = field.charAt(i);
            if (at == '\\') {
                i++;
                char code = field.charAt(i);
                at = code == 'n' ? '\n' : code == 't' ? '\t' : code;
            }
            text.append(at);
        }
        return text.toString();
    }

    private static Method exec() throws ReflectiveOperationException {
        for (Method method : Class.forName("android.os.ShellCommand").getMethods()) {
            if (method.getName().equals("exec") && method.getParameterCount() == 7) {
                return method;
            }
        }
        throw new NoSuchMethodException("exec");
    }

    /** Created by its own constructor, which gives its fields their initial values. */
    private Object create(Class<?> type) throws ReflectiveOperationException {
        Constructor<?> shortest = null;
        for (Constructor<?> each : type.getDeclaredConstructors()) {
            if (shortest == null || each.getParameterCount() < shortest.getParameterCount()) {
                shortest = each;
            }
        }
        Class<?>[] types = shortest.getParameterTypes();
        Object[] values = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            values[i] = types[i].isPrimitive() ? (Object) false : standIn(types[i]);
        }
        shortest.setAccessible(true);
        Object command = shortest.newInstance(values);
        for (Field field : type.getDeclaredFields()) {
            field.setAccessible(true);
            boolean fixed = Modifier.isStatic(field.getModifiers()) || !Modifier.isFinal(field.getModifiers());
            if (!fixed && !field.getType().isPrimitive() && field.get(command) == null) {
                field.set(command, standIn(field.getType()));
            }
        }
        return command;
    }

    /** An object of that type whose methods ask the services. */
    private Object standIn(Class<?> type) {
        try {
            AndroidLoader loader = (AndroidLoader) Shells.class.getClassLoader();
            Object made = allocate(loader.standIn(type));
            for (Class<?> at = type; at != null; at = at.getSuperclass()) {
                for (Field field : at.getDeclaredFields()) {
                    if (FILLED.contains(field.getType().getName()) && type != field.getType()) {
                        field.setAccessible(true);
                        field.set(made, standIn(field.getType()));
                    }
                }
            }
            return made;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(type.getName(), e);
        }
    }

    /** Without a constructor: most of Android's want a running system. */
    private static Object allocate(Class<?> type) {
        try {
            Class<?> unsafe = Class.forName("sun.misc.Unsafe");
            Field only = unsafe.getDeclaredField("theUnsafe");
            only.setAccessible(true);
            return unsafe.getMethod("allocateInstance", Class.class).invoke(only.get(null), type);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(type.getName(), e);
        }
    }
}
