package dev.handheld.helper.framework;

import static org.robolectric.Shadows.shadowOf;

import android.app.Application;
import android.app.ContentProviderHolder;
import android.app.IActivityManager;
import android.app.Service;
import android.content.ComponentName;
import android.content.ContentProvider;
import android.content.Context;
import android.content.ContextWrapper;
import android.content.IContentProvider;
import android.content.IIntentSender;
import android.content.Intent;
import android.content.IntentFilter;
import android.content.pm.ApplicationInfo;
import android.content.pm.PackageManager;
import android.content.pm.PackageParser;
import android.content.pm.ProviderInfo;
import android.content.res.AssetManager;
import android.content.res.Resources;
import android.os.Binder;
import android.os.Bundle;
import android.os.Handler;
import android.os.IBinder;
import android.os.Looper;
import android.os.Parcel;
import android.util.DisplayMetrics;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Paths;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.shadows.ShadowBinder;
import org.robolectric.shadows.ShadowPackageManager;
import org.robolectric.shadows.ShadowPackageParser;

/**
 * Apps from their APKs, and the part of ActivityManagerService that starts their services, opens
 * their providers and delivers their replies. Manifest and resources are read from the APK by
 * Android's own parser; the classes are those that were put into it. What goes to an app and back
 * goes through a Parcel, as between processes.
 */
final class InstalledApps extends SystemServices.Answers {
    private static final int SHELL = 2000;
    private static final int UNKNOWN_SENDER = 0;

    static final IActivityManager MANAGER =
            (IActivityManager) SystemServices.make(IActivityManager.class, new InstalledApps());

    private static final Map<String, IContentProvider> providers =
            new HashMap<String, IContentProvider>();
    private static final Map<String, Running> services = new LinkedHashMap<String, Running>();
    private static final ThreadLocal<Boolean> handling = new ThreadLocal<Boolean>();
    private static volatile int caller = SHELL;

    private static final class Running {
        final Service service;
        int newest;

        Running(Service service) {
            this.service = service;
        }
    }

    private InstalledApps() {}

    /** Return the package that is installed. */
    static String install(String file) throws Exception {
        ShadowPackageManager packages = shadowOf(packages());
        PackageParser.Package parsed = ShadowPackageParser.callParsePackage(Paths.get(file));
        packages.addPackageInternal(parsed);
        String name = parsed.packageName;
        for (PackageParser.Provider one : parsed.providers) {
            // Robolectric keeps the filters of all other components.
            for (IntentFilter filter : one.intents) {
                packages.addIntentFilterForProvider(one.getComponentName(), filter);
            }
        }
        AssetManager assets = AssetManager.class.getDeclaredConstructor().newInstance();
        AssetManager.class.getMethod("addAssetPath", String.class).invoke(assets, file);
        DisplayMetrics metrics = RuntimeEnvironment.getApplication().getResources().getDisplayMetrics();
        ShadowPackageManager.resources.put(
                name,
                new Resources(
                        assets,
                        metrics,
                        RuntimeEnvironment.getApplication().getResources().getConfiguration()));
        return name;
    }

    /** As which uid the apps are called from now on. */
    static void callAs(int uid) {
        caller = uid;
    }

    /** Whether this thread is inside an app, on behalf of another one. */
    static boolean isHandling() {
        return handling.get() != null;
    }

    /** How many services run. */
    static int running() {
        synchronized (services) {
            return services.size();
        }
    }

    @Override
    Object answer(Method method, Object[] arguments) throws Exception {
        switch (method.getName()) {
            case "getContentProviderExternal":
                return open((String) arguments[0]);
            case "startService":
                return start((Intent) arguments[1]);
            case "stopServiceToken":
                return stop((ComponentName) arguments[0], (Integer) arguments[2]);
            case "sendIntentSender":
                send(arguments);
                return 0;
            case "getInfoForIntentSender":
                // What is around our own sender, and not one of Android's.
                Constructor<?> made =
                        method.getReturnType()
                                .getConstructor(
                                        String.class, int.class, boolean.class, int.class);
                return made.newInstance(null, -1, false, UNKNOWN_SENDER);
            case "getUidForIntentSender":
                return -1;
            default:
                return null;
        }
    }

    private static PackageManager packages() {
        return RuntimeEnvironment.getApplication().getPackageManager();
    }

    /** What an app's component sees of its app. */
    private static final class AppContext extends ContextWrapper {
        private final ApplicationInfo info;

        AppContext(ApplicationInfo info) {
            super(RuntimeEnvironment.getApplication());
            this.info = info;
        }

        @Override
        public String getPackageName() {
            return info.packageName;
        }

        @Override
        public ApplicationInfo getApplicationInfo() {
            return info;
        }

        @Override
        public Context getApplicationContext() {
            return this;
        }
    }

    private static ContentProviderHolder open(String authority) throws Exception {
        ProviderInfo info = packages().resolveContentProvider(authority, 0);
        if (info == null) {
            return null;
        }
        if (!info.exported) {
            throw new SecurityException("Permission Denial: opening provider " + info.name);
        }
        IContentProvider provider;
        synchronized (providers) {
            provider = providers.get(info.name);
            if (provider == null) {
                ContentProvider made =
                        (ContentProvider)
                                Class.forName(info.name).getDeclaredConstructor().newInstance();
                made.attachInfo(new AppContext(info.applicationInfo), info);
                IBinder own =
                        ((IContentProvider)
                                        ContentProvider.class
                                                .getMethod("getIContentProvider")
                                                .invoke(made))
                                .asBinder();
                provider = proxy(asCaller(own));
                providers.put(info.name, provider);
            }
        }
        ContentProviderHolder holder = new ContentProviderHolder(info);
        holder.provider = provider;
        return holder;
    }

    /** The caller's end, which writes every call into a Parcel. */
    private static IContentProvider proxy(IBinder remote) throws Exception {
        Constructor<?> end =
                Class.forName("android.content.ContentProviderProxy")
                        .getDeclaredConstructor(IBinder.class);
        end.setAccessible(true);
        return (IContentProvider) end.newInstance(remote);
    }

    /** The app's end, which learns from Binder who calls. */
    private static IBinder asCaller(final IBinder own) {
        return (IBinder)
                Proxy.newProxyInstance(
                        InstalledApps.class.getClassLoader(),
                        new Class<?>[] {IBinder.class},
                        new InvocationHandler() {
                            @Override
                            public Object invoke(Object proxy, Method method, Object[] arguments)
                                    throws Throwable {
                                boolean call = method.getName().equals("transact");
                                try {
                                    if (call) {
                                        ShadowBinder.setCallingUid(caller);
                                        handling.set(true);
                                    }
                                    return method.invoke(own, arguments);
                                } catch (InvocationTargetException thrown) {
                                    throw thrown.getCause();
                                } finally {
                                    if (call) {
                                        handling.remove();
                                        ShadowBinder.reset();
                                    }
                                }
                            }
                        });
    }

    private static ComponentName start(Intent given) {
        final ComponentName name = given.getComponent();
        final Intent intent = parcelled(given);
        final android.content.pm.ServiceInfo info;
        try {
            info = packages().getServiceInfo(name, 0);
        } catch (PackageManager.NameNotFoundException none) {
            return null;
        }
        if (!info.exported) {
            return new ComponentName("!", "not exported from uid " + info.applicationInfo.uid);
        }
        new Handler(Looper.getMainLooper())
                .post(
                        new Runnable() {
                            @Override
                            public void run() {
                                try {
                                    Running running = running(name, info.applicationInfo);
                                    running.newest++;
                                    running.service.onStartCommand(intent, 0, running.newest);
                                } catch (ReflectiveOperationException broken) {
                                    throw new IllegalStateException(broken);
                                }
                            }
                        });
        return name;
    }

    private static Running running(ComponentName name, ApplicationInfo app)
            throws ReflectiveOperationException {
        synchronized (services) {
            Running running = services.get(name.getClassName());
            if (running == null) {
                Service made =
                        (Service)
                                Class.forName(name.getClassName())
                                        .getDeclaredConstructor()
                                        .newInstance();
                for (Method one : Service.class.getDeclaredMethods()) {
                    if (one.getName().equals("attach")) {
                        Application shown = RuntimeEnvironment.getApplication();
                        one.invoke(
                                made,
                                new AppContext(app),
                                null,
                                name.getClassName(),
                                new Binder(),
                                shown,
                                MANAGER);
                    }
                }
                made.onCreate();
                running = new Running(made);
                services.put(name.getClassName(), running);
            }
            return running;
        }
    }

    /** Only if nothing was started since. */
    private static boolean stop(final ComponentName name, int start) {
        final Running stopped;
        synchronized (services) {
            Running running = services.get(name.getClassName());
            if (running == null || start >= 0 && start != running.newest) {
                return false;
            }
            stopped = services.remove(name.getClassName());
        }
        new Handler(Looper.getMainLooper())
                .post(
                        new Runnable() {
                            @Override
                            public void run() {
                                stopped.service.onDestroy();
                            }
                        });
        return true;
    }

    /** Android passes it on to a sender that is not its own. */
    private static void send(Object[] arguments) throws Exception {
        IIntentSender target = null;
        Intent intent = null;
        Integer code = null;
        for (Object one : arguments) {
            if (one instanceof IIntentSender) {
                target = (IIntentSender) one;
            } else if (one instanceof Intent) {
                intent = (Intent) one;
            } else if (one instanceof Integer && code == null) {
                code = (Integer) one;
            }
        }
        IIntentSender.class
                .getMethod(
                        "send",
                        int.class,
                        Intent.class,
                        String.class,
                        IBinder.class,
                        Class.forName("android.content.IIntentReceiver"),
                        String.class,
                        Bundle.class)
                .invoke(target, code, parcelled(intent), null, null, null, null, null);
    }

    private static Intent parcelled(Intent intent) {
        Parcel parcel = Parcel.obtain();
        try {
            intent.writeToParcel(parcel, 0);
            parcel.setDataPosition(0);
            return Intent.CREATOR.createFromParcel(parcel);
        } finally {
            parcel.recycle();
        }
    }
}
