package android.app.appfunctions;

import android.app.appsearch.GenericDocument;

public final class ExecuteAppFunctionResponse {
    public static final String PROPERTY_RETURN_VALUE = "androidAppfunctionsReturnValue";

    public ExecuteAppFunctionResponse(GenericDocument resultDocument) {
        throw new UnsupportedOperationException();
    }
}
