package android.app.appfunctions;

import android.app.Service;
import android.content.Intent;
import android.content.pm.SigningInfo;
import android.os.CancellationSignal;
import android.os.IBinder;
import android.os.OutcomeReceiver;

public abstract class AppFunctionService extends Service {
    @Override
    public final IBinder onBind(Intent intent) {
        throw new UnsupportedOperationException();
    }

    public abstract void onExecuteFunction(
            ExecuteAppFunctionRequest request,
            String callingPackage,
            SigningInfo callingPackageSigningInfo,
            CancellationSignal cancellationSignal,
            OutcomeReceiver<ExecuteAppFunctionResponse, AppFunctionException> callback);
}
