package dev.handheld.helper.compat;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/**
 * A hidden member of Android: a method, a constructor or a field, in the forms that it has had. The
 * newest form is tried first, and the one that the phone has is used.
 *
 * <p>Each is a constant of the class that uses it. A program can therefore read them all and look
 * for them in every version of Android without running any.
 */
public final class Hidden {
    /** The kind of member. */
    public enum Kind {
        METHOD,
        CONSTRUCTOR,
        FIELD
    }

    /** One form: its class, and its parameters. */
    public static final class Form {
        public final String className;
        public final String name;
        /** Names of the parameters' types; none for a field. */
        public final String[] types;
        /** The versions that have it, or the reason for it. */
        public final String reason;

        Form(String className, String name, String reason, String... types) {
            this.className = className;
            this.name = name;
            this.reason = reason;
            this.types = types;
        }
    }

    public final Kind kind;
    /** The helper works without it. */
    public final boolean optional;
    private final Form[] forms;

    private AccessibleObject found;
    private int number = -1;
    private boolean sought;

    private Hidden(Kind kind, boolean optional, Form... forms) {
        this.kind = kind;
        this.optional = optional;
        this.forms = forms;
    }

    static Hidden method(Form... forms) {
        return new Hidden(Kind.METHOD, false, forms);
    }

    static Hidden optionalMethod(Form... forms) {
        return new Hidden(Kind.METHOD, true, forms);
    }

    static Hidden constructor(Form... forms) {
        return new Hidden(Kind.CONSTRUCTOR, false, forms);
    }

    static Hidden field(Form... forms) {
        return new Hidden(Kind.FIELD, false, forms);
    }

    static Hidden optionalField(Form... forms) {
        return new Hidden(Kind.FIELD, true, forms);
    }

    static Hidden optionalConstructor(Form... forms) {
        return new Hidden(Kind.CONSTRUCTOR, true, forms);
    }

    static Form form(String className, String name, String reason, String... types) {
        return new Form(className, name, reason, types);
    }

    public Form[] forms() {
        return forms.clone();
    }

    /** The index of the form that this phone has; -1 for none. */
    synchronized int form() {
        if (!sought) {
            sought = true;
            for (int one = 0; one < forms.length && found == null; one++) {
                found = find(forms[one]);
                number = found == null ? -1 : one;
            }
        }
        return number;
    }

    boolean isThere() {
        return form() >= 0;
    }

    private AccessibleObject find(Form form) {
        try {
            Class<?> owner = type(form.className);
            AccessibleObject part;
            if (kind == Kind.FIELD) {
                part = owner.getDeclaredField(form.name);
            } else {
                Class<?>[] types = new Class<?>[form.types.length];
                for (int one = 0; one < types.length; one++) {
                    types[one] = type(form.types[one]);
                }
                part =
                        kind == Kind.METHOD
                                ? owner.getDeclaredMethod(form.name, types)
                                : owner.getDeclaredConstructor(types);
            }
            part.setAccessible(true);
            return part;
        } catch (ReflectiveOperationException | LinkageError missing) {
            // The second where a vendor's class itself refers to a missing class.
            return null;
        }
    }

    static Class<?> type(String name) throws ClassNotFoundException {
        switch (name) {
            case "int":
                return int.class;
            case "long":
                return long.class;
            case "boolean":
                return boolean.class;
            default:
                return Class.forName(name);
        }
    }

    /** Call the method; the target of a static method is null. Exceptions are rethrown. */
    Object call(Object target, Object... arguments) {
        need();
        try {
            return ((Method) found).invoke(target, arguments);
        } catch (InvocationTargetException thrown) {
            throw unwrapped(thrown);
        } catch (IllegalAccessException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    Object make(Object... arguments) {
        need();
        try {
            return ((Constructor<?>) found).newInstance(arguments);
        } catch (InvocationTargetException thrown) {
            throw unwrapped(thrown);
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    Object get(Object target) {
        need();
        try {
            return ((Field) found).get(target);
        } catch (IllegalAccessException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    void set(Object target, Object value) {
        need();
        try {
            ((Field) found).set(target, value);
        } catch (IllegalAccessException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private void need() {
        if (form() < 0) {
            throw new IllegalStateException(
                    "This Android has no " + forms[0].className + "." + forms[0].name + ".");
        }
    }

    private static RuntimeException unwrapped(InvocationTargetException thrown) {
        Throwable cause = thrown.getCause();
        if (cause instanceof RuntimeException) {
            return (RuntimeException) cause;
        }
        return new IllegalStateException(cause);
    }
}
