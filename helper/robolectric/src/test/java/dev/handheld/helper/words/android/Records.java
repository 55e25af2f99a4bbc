package dev.handheld.helper.words.android;

import android.app.Notification;
import android.os.UserHandle;
import android.service.notification.StatusBarNotification;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.function.Function;

/** A notification as the service keeps it, and how it prints it. */
final class Records {
    private static final int AUTO_CANCEL = 0x10;
    private static final int DEFAULT_IMPORTANCE = 3;

    private Records() {}

    /** @param words the package, its uid, the number, the title, the text, whether it is redacted */
    static String dump(String[] words, Function<Class<?>, Object> standIn, Function<Class<?>, Object> empty)
            throws ReflectiveOperationException {
        Notification notification = new Notification();
        notification.flags = AUTO_CANCEL;
        set(notification, "mChannelId", "default");
        notification.extras.putCharSequence("android.title", words[3]);
        notification.extras.putCharSequence("android.text", words[4]);
        StatusBarNotification posted = new StatusBarNotification(
                words[0], words[0], Integer.parseInt(words[2]), null, Integer.parseInt(words[1]), 0,
                notification, UserHandle.of(0), null, 0);
        Class<?> type = Class.forName("com.android.server.notification.NotificationRecord");
        Object record = empty.apply(type);
        set(record, "sbn", posted);
        set(record, "mImportance", DEFAULT_IMPORTANCE);
        set(record, "mChannel", channel());
        Object context = standIn.apply(Class.forName("android.content.Context"));
        set(record, "mContext", context);
        create(record, "mStats");
        create(record, "stats");
        StringWriter text = new StringWriter();
        PrintWriter to = new PrintWriter(text);
        for (Method method : type.getDeclaredMethods()) {
            if (method.getName().equals("dump") && method.getParameterCount() == 4
                    && method.getParameterTypes()[0] == PrintWriter.class) {
                method.setAccessible(true);
                method.invoke(record, to, "", context, words[5].equals("redacted"));
            }
        }
        to.flush();
        return text.toString();
    }

    private static void create(Object target, String name) throws ReflectiveOperationException {
        for (Field field : target.getClass().getDeclaredFields()) {
            if (field.getName().equals(name)) {
                Constructor<?> simple = field.getType().getDeclaredConstructor();
                simple.setAccessible(true);
                set(target, name, simple.newInstance());
            }
        }
    }

    private static Object channel() throws ReflectiveOperationException {
        return Class.forName("android.app.NotificationChannel")
                .getConstructor(String.class, CharSequence.class, int.class)
                .newInstance("default", "Default", DEFAULT_IMPORTANCE);
    }

    private static void set(Object target, String name, Object value) throws IllegalAccessException {
        for (Class<?> at = target.getClass(); at != null; at = at.getSuperclass()) {
            for (Field field : at.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    field.setAccessible(true);
                    field.set(target, value);
                }
            }
        }
    }
}
