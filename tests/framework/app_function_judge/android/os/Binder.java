package android.os;

import java.io.FileDescriptor;

/** In place of Android's, which needs native code: the shell calls, and nothing goes anywhere. */
public class Binder implements IBinder {
    private IInterface owner;
    private String descriptor;

    public Binder() {}

    public Binder(String descriptor) {
        this.descriptor = descriptor;
    }

    public static int getCallingUid() {
        return 2000;
    }

    public static int getCallingPid() {
        return 1;
    }

    public static long clearCallingIdentity() {
        return 0;
    }

    public static void restoreCallingIdentity(long token) {}

    public void attachInterface(IInterface owner, String descriptor) {
        this.owner = owner;
        this.descriptor = descriptor;
    }

    public void markVintfStability() {}

    @Override
    public String getInterfaceDescriptor() {
        return descriptor;
    }

    @Override
    public boolean pingBinder() {
        return true;
    }

    @Override
    public boolean isBinderAlive() {
        return true;
    }

    @Override
    public IInterface queryLocalInterface(String wanted) {
        return wanted.equals(descriptor) ? owner : null;
    }

    @Override
    public void dump(FileDescriptor fd, String[] args) {}

    @Override
    public void dumpAsync(FileDescriptor fd, String[] args) {}

    @Override
    public void shellCommand(
            FileDescriptor in,
            FileDescriptor out,
            FileDescriptor err,
            String[] args,
            ShellCallback callback,
            ResultReceiver receiver) {}

    protected boolean onTransact(int code, Parcel data, Parcel reply, int flags)
            throws RemoteException {
        return false;
    }

    @Override
    public final boolean transact(int code, Parcel data, Parcel reply, int flags) {
        return false;
    }

    @Override
    public void linkToDeath(DeathRecipient recipient, int flags) {}

    @Override
    public boolean unlinkToDeath(DeathRecipient recipient, int flags) {
        return true;
    }
}
