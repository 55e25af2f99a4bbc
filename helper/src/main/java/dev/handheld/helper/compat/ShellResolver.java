package dev.handheld.helper.compat;

import android.content.ContentResolver;
import android.content.Context;
import android.content.IContentProvider;
import android.os.Binder;
import android.os.IBinder;

/**
 * How Android's own classes find a provider from here, as when they read the phone's settings: the
 * way of an app is closed to other programs. An opened provider stays open for as long as this
 * program runs.
 */
final class ShellResolver extends ContentResolver {
    private final Context context;
    private final IBinder token = new Binder();

    ShellResolver(Context context) {
        super(context);
        this.context = context;
    }

    @Override
    protected IContentProvider acquireProvider(Context asker, String authority) {
        return (IContentProvider) Providers.find(authority, context.getUserId(), token);
    }

    @Override
    protected IContentProvider acquireUnstableProvider(Context asker, String authority) {
        return acquireProvider(asker, authority);
    }

    @Override
    public boolean releaseProvider(IContentProvider provider) {
        return false;
    }

    @Override
    public boolean releaseUnstableProvider(IContentProvider provider) {
        return false;
    }

    @Override
    public void unstableProviderDied(IContentProvider provider) {
        // The next caller opens it again.
    }
}
