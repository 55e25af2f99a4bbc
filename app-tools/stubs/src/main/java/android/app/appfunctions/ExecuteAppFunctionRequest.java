package android.app.appfunctions;

import android.app.appsearch.GenericDocument;

public final class ExecuteAppFunctionRequest {
    private ExecuteAppFunctionRequest() {}

    public String getFunctionIdentifier() {
        throw new UnsupportedOperationException();
    }

    public GenericDocument getParameters() {
        throw new UnsupportedOperationException();
    }
}
