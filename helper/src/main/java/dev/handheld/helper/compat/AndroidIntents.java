package dev.handheld.helper.compat;

import android.content.ComponentName;
import android.content.ContentResolver;
import android.content.Context;
import android.content.Intent;
import android.content.pm.ComponentInfo;
import android.content.pm.PackageManager;
import android.content.pm.ResolveInfo;
import android.net.Uri;
import dev.handheld.helper.device.Handler;
import dev.handheld.helper.device.IntentFields;
import dev.handheld.helper.device.Intents;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Intents of the shell to apps of the current user. */
final class AndroidIntents implements Intents {
    private static final String MANAGER = "android.content.pm.PackageManager";
    private static final String TEXT = "java.lang.String";
    /** Intent.FLAG_RECEIVER_FROM_SHELL, as `am broadcast` sets it. */
    private static final int FROM_SHELL = 0x00400000;
    /** AppOpsManager.OP_NONE. */
    private static final int NO_OP = -1;

    // Of ActivityManager (frameworks/base/core/java/android/app/ActivityManager.java).
    private static final int NOT_FOUND = -92;
    private static final int UNRESOLVED = -91;
    private static final int DELIVERED_TO_TOP = 3;
    private static final int KEPT = 100;
    private static final int LOCK_TASK = 101;

    static final Hidden RESOLVE =
            Hidden.method(
                    Hidden.form(
                            MANAGER,
                            "resolveActivityAsUser",
                            "the same in all versions",
                            "android.content.Intent",
                            "int",
                            "int"));
    static final Hidden RECEIVERS =
            Hidden.method(
                    Hidden.form(
                            MANAGER,
                            "queryBroadcastReceiversAsUser",
                            "the same in all versions",
                            "android.content.Intent",
                            "int",
                            "int"));
    static final Hidden BROADCAST =
            Hidden.method(
                    Hidden.form(
                            "android.app.IActivityManager",
                            "broadcastIntent",
                            "the same in all versions",
                            "android.app.IApplicationThread",
                            "android.content.Intent",
                            TEXT,
                            "android.content.IIntentReceiver",
                            "int",
                            TEXT,
                            "android.os.Bundle",
                            "[L" + TEXT + ";",
                            "int",
                            "android.os.Bundle",
                            "boolean",
                            "boolean",
                            "int"));

    private final AndroidPhone phone;
    private final PackageManager packages;
    private final ContentResolver resolver;

    AndroidIntents(Context context, AndroidPhone phone) {
        this.phone = phone;
        packages = context.getPackageManager();
        resolver = context.getContentResolver();
    }

    @Override
    public List<Handler> find(IntentFields fields) {
        Intent intent = make(fields);
        int user = phone.user();
        switch (fields.kind) {
            case ACTIVITY:
                int flags = fields.className == null ? PackageManager.MATCH_DEFAULT_ONLY : 0;
                List<?> found = (List<?>) AndroidApps.QUERY.call(packages, intent, flags, user);
                Object best = RESOLVE.call(packages, intent, flags, user);
                return describe(found, (ResolveInfo) best, fields.kind);
            case SERVICE:
                return describe(
                        (List<?>) Declarations.SERVICES.call(packages, intent, 0, user),
                        null,
                        fields.kind);
            default:
                return describe(
                        (List<?>) RECEIVERS.call(packages, intent, 0, user), null, fields.kind);
        }
    }

    /** `best` is the activity that Android picks, or the one that asks the owner to choose. */
    List<Handler> describe(List<?> found, ResolveInfo best, IntentFields.Kind kind) {
        ComponentName picked = best == null ? null : name(info(best));
        List<Handler> handlers = new ArrayList<Handler>();
        // Reading a label opens the app's APK.
        Map<String, String> labels = new HashMap<String, String>();
        for (Object one : found) {
            ComponentInfo info = info((ResolveInfo) one);
            boolean chosen;
            switch (kind) {
                case ACTIVITY:
                    chosen = name(info).equals(picked);
                    break;
                case SERVICE:
                    chosen = found.size() == 1;
                    break;
                default:
                    chosen = true;
            }
            if (!labels.containsKey(info.packageName)) {
                labels.put(
                        info.packageName, AndroidApps.label(info.applicationInfo, packages));
            }
            handlers.add(
                    new Handler(
                            info.packageName,
                            info.name,
                            labels.get(info.packageName),
                            chosen,
                            kind == IntentFields.Kind.BROADCAST ? deny((ResolveInfo) one) : null));
        }
        return handlers;
    }

    private static ComponentInfo info(ResolveInfo found) {
        return found.activityInfo == null ? found.serviceInfo : found.activityInfo;
    }

    private static ComponentName name(ComponentInfo info) {
        return new ComponentName(info.packageName, info.name);
    }

    /** Why the shell may not reach a receiver. Android only writes this to its log. */
    private String deny(ResolveInfo receiver) {
        if (!receiver.activityInfo.exported) {
            return "not exported from uid " + receiver.activityInfo.applicationInfo.uid;
        }
        String permission = receiver.activityInfo.permission;
        boolean open =
                permission == null
                        || packages.checkPermission(permission, ShellContext.PACKAGE)
                                == PackageManager.PERMISSION_GRANTED;
        return open ? null : "requires " + permission;
    }

    static Intent make(IntentFields fields) {
        Intent intent = new Intent(fields.action);
        Uri data = fields.data == null ? null : Uri.parse(fields.data);
        intent.setDataAndType(data, fields.mime);
        intent.setPackage(fields.packageName);
        if (fields.className != null) {
            intent.setClassName(fields.packageName, fields.className);
        }
        for (String category : fields.categories) {
            intent.addCategory(category);
        }
        intent.setFlags(fields.flags);
        for (Map.Entry<String, Object> extra : fields.extras.entrySet()) {
            put(intent, extra.getKey(), extra.getValue());
        }
        return intent;
    }

    private static void put(Intent intent, String name, Object value) {
        if (value instanceof Integer) {
            intent.putExtra(name, ((Integer) value).intValue());
        } else if (value instanceof Long) {
            intent.putExtra(name, ((Long) value).longValue());
        } else if (value instanceof Float) {
            intent.putExtra(name, ((Float) value).floatValue());
        } else if (value instanceof Double) {
            intent.putExtra(name, ((Double) value).doubleValue());
        } else if (value instanceof Boolean) {
            intent.putExtra(name, ((Boolean) value).booleanValue());
        } else if (value instanceof List) {
            ArrayList<String> texts = new ArrayList<String>();
            for (Object one : (List<?>) value) {
                texts.add((String) one);
            }
            intent.putStringArrayListExtra(name, texts);
        } else {
            intent.putExtra(name, (String) value);
        }
    }

    /** The type of a provider's data. Android does not ask for it if the component is given. */
    private String type(Intent intent) {
        Uri data = intent.getData();
        if (intent.getType() != null || data == null || !"content".equals(data.getScheme())) {
            return intent.getType();
        }
        try {
            return resolver.getType(data);
        } catch (RuntimeException unknown) {
            AndroidPhone.note("The type of an intent's data is not known: " + unknown);
            return null;
        }
    }

    @Override
    public int open(IntentFields fields) {
        Intent intent = make(fields);
        int code;
        try {
            code =
                    (Integer)
                            AndroidApps.START.call(
                                    Services.activities(),
                                    null,
                                    ShellContext.PACKAGE,
                                    intent,
                                    type(intent),
                                    null,
                                    null,
                                    0,
                                    0,
                                    null,
                                    null,
                                    phone.user());
        } catch (SecurityException closed) {
            throw refused(fields, String.valueOf(closed.getMessage()));
        }
        return check(code, fields);
    }

    /** Return the code if it says that the activity got the intent. */
    static int check(int code, IntentFields fields) {
        if (code >= 0 && code <= DELIVERED_TO_TOP || code == KEPT) {
            return code;
        }
        switch (code) {
            case NOT_FOUND:
                throw new Failure(
                                Code.NO_COMPONENT,
                                fields.packageName + " has no " + fields.className + ".")
                        .with("installed", true);
            case UNRESOLVED:
                throw new Failure(Code.NO_HANDLER, "Nothing takes it.");
            case AndroidApps.START_ABORTED:
                throw AndroidApps.aborted();
            case LOCK_TASK:
                throw new Failure(
                        Code.FAILED, "The phone is kept in one app (lock task mode).");
            default:
                throw new Failure(
                        Code.FAILED, "Android did not start it (code " + code + ").");
        }
    }

    private static Failure refused(IntentFields fields, String message) {
        String component = fields.packageName + "/" + fields.className;
        ComponentName name = ComponentName.unflattenFromString(component);
        return new Failure(Code.APP_REFUSED, message)
                .with("component", name == null ? component : name.flattenToShortString());
    }

    @Override
    public void start(IntentFields fields) {
        ComponentName started = AndroidOffers.start(make(fields), false, phone.user());
        if (started == null) {
            throw new Failure(
                            Code.NO_COMPONENT,
                            fields.packageName + " has no " + fields.className + ".")
                    .with("installed", true);
        }
        String code = started.getPackageName();
        String why = started.getClassName();
        if ("!".equals(code)) {
            // The name of a permission, or that it is not exported.
            throw refused(fields, "starting it " + (why.indexOf(' ') < 0 ? "requires " : "") + why);
        }
        if ("!!".equals(code) || "?".equals(code)) {
            Failure late = new Failure(Code.APP_NOT_STARTED, why + ".");
            throw late.with("component", refused(fields, "").data().get("component"));
        }
    }

    @Override
    public void broadcast(IntentFields fields) {
        Intent intent = make(fields).addFlags(FROM_SHELL);
        try {
            int code =
                    (Integer)
                            BROADCAST.call(
                                    Services.activities(),
                                    null,
                                    intent,
                                    type(intent),
                                    null,
                                    0,
                                    null,
                                    null,
                                    null,
                                    NO_OP,
                                    null,
                                    false,
                                    false,
                                    phone.user());
            if (code < 0) {
                throw new Failure(Code.FAILED, "Android did not send it (code " + code + ").");
            }
        } catch (SecurityException refused) {
            throw new Failure(Code.FAILED, "Only the system may send " + fields.action + ".");
        }
    }
}
