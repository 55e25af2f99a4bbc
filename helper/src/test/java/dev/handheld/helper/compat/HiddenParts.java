package dev.handheld.helper.compat;

import java.io.File;
import java.lang.reflect.Field;
import java.util.Arrays;

/**
 * Prints every hidden part of Android that compat/ looks up, one form a line: class, constant,
 * number of the form, kind, optional, owner, name, parameter types, reason; tabs between.
 */
public final class HiddenParts {
    private HiddenParts() {}

    public static void main(String[] arguments) throws ReflectiveOperationException {
        File[] files = new File(arguments[0], "dev/handheld/helper/compat").listFiles();
        Arrays.sort(files);
        for (File file : files) {
            String name = file.getName();
            if (name.endsWith(".class")) {
                String plain = name.substring(0, name.length() - ".class".length());
                // Not started: what such a class inherits may need a phone for that.
                ClassLoader loader = HiddenParts.class.getClassLoader();
                print(Class.forName("dev.handheld.helper.compat." + plain, false, loader));
            }
        }
    }

    private static void print(Class<?> owner) throws IllegalAccessException {
        for (Field field : owner.getDeclaredFields()) {
            if (field.getType() != Hidden.class) {
                continue;
            }
            field.setAccessible(true);
            Hidden part = (Hidden) field.get(null);
            int number = 0;
            for (Hidden.Form form : part.forms()) {
                System.out.println(
                        owner.getSimpleName()
                                + "\t"
                                + field.getName()
                                + "\t"
                                + number++
                                + "\t"
                                + part.kind
                                + "\t"
                                + part.optional
                                + "\t"
                                + form.className
                                + "\t"
                                + form.name
                                + "\t"
                                + String.join(",", form.types)
                                + "\t"
                                + form.reason);
            }
        }
    }
}
