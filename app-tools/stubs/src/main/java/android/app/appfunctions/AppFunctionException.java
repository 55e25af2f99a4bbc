package android.app.appfunctions;

public final class AppFunctionException extends Exception {
    public static final int ERROR_DENIED = 1000;
    public static final int ERROR_INVALID_ARGUMENT = 1001;
    public static final int ERROR_FUNCTION_NOT_FOUND = 1003;
    public static final int ERROR_CANCELLED = 2001;
    public static final int ERROR_APP_UNKNOWN_ERROR = 3000;
    private static final long serialVersionUID = 1;

    public AppFunctionException(int errorCode, String errorMessage) {
        throw new UnsupportedOperationException();
    }
}
