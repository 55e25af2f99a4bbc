package dev.handheld.helper.framework;

import android.app.INotificationManager;
import android.app.ITransientNotification;
import android.app.ITransientNotificationCallback;
import android.content.Context;
import android.os.Binder;
import android.os.Handler;
import android.os.IBinder;
import android.os.Looper;
import android.os.ServiceManager;
import android.view.Gravity;
import android.view.View;
import android.view.accessibility.IAccessibilityManager;
import android.widget.ToastPresenter;
import java.lang.reflect.Method;
import org.robolectric.RuntimeEnvironment;


/**
 * What NotificationManagerService does with toasts: it has the app show its own, and since 30 the
 * system's interface those of text alone, by the same ToastPresenter.
 */
final class Toasts extends SystemServices.Answers {
    private static final int SHOWN_MS = 3500;

    private final Handler main = new Handler(Looper.getMainLooper());

    @Override
    Object answer(Method method, final Object[] arguments) throws Exception {
        if (method.getName().equals("enqueueToast")) {
            for (Object one : arguments) {
                if (one instanceof ITransientNotification) {
                    show((ITransientNotification) one);
                }
            }
        } else if (method.getName().equals("enqueueTextToast")) {
            main.post(
                    new Runnable() {
                        @Override
                        public void run() {
                            SystemInterface.show((IBinder) arguments[1], (CharSequence) arguments[2]);
                        }
                    });
        }
        return method.getReturnType() == boolean.class ? true : null;
    }

    private void show(final ITransientNotification toast) throws Exception {
        toast.show(new Binder());
        main.postDelayed(
                new Runnable() {
                    @Override
                    public void run() {
                        try {
                            toast.hide();
                        } catch (Exception problem) {
                            throw new IllegalStateException(problem);
                        }
                    }
                },
                SHOWN_MS);
    }

    /** Apart, because its classes are not in 28. */
    private static final class SystemInterface {
        static void show(IBinder token, CharSequence text) {
            Context context = RuntimeEnvironment.getApplication();
            INotificationManager service =
                    INotificationManager.Stub.asInterface(
                            ServiceManager.getService("notification"));
            final ToastPresenter presenter =
                    new ToastPresenter(
                            context,
                            IAccessibilityManager.Stub.asInterface(
                                    ServiceManager.getService(Context.ACCESSIBILITY_SERVICE)),
                            service,
                            Page.PACKAGE);
            View view = ToastPresenter.getTextToastView(context, text);
            final ITransientNotificationCallback none = null;
            presenter.show(
                    view, token, new Binder(), 1, Gravity.BOTTOM, 0, 100, 0, 0, none);
            new Handler(Looper.getMainLooper())
                    .postDelayed(
                            new Runnable() {
                                @Override
                                public void run() {
                                    presenter.hide(none);
                                }
                            },
                            SHOWN_MS);
        }
    }
}
