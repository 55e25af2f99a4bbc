package dev.handheld.helper.device;

import java.util.List;
import java.util.Map;

/** The tools that the apps of the current user declare, and calls to them. */
public interface Offers {
    String SERVICE_ACTION = "mobile.mcp.SERVICE";
    String NAME_KEY = "mobile.mcp.tool.name";
    String DESCRIPTION_KEY = "mobile.mcp.tool.description";
    String CAPABILITIES_KEY = "mobile.mcp.tool.capabilities";
    String PROVIDER_ACTION = "se.premex.mcp.MCP_PROVIDER";
    String PROVIDER_TYPE = "application/vnd.mcp.tool";

    /** Stands for a bundle's value of a type that the protocol does not have. */
    Object UNREADABLE = new Object();

    /** Why there is no descriptor, as a sentence. */
    final class NoDescriptor extends Exception {
        private static final long serialVersionUID = 1;

        public NoDescriptor(String message) {
            super(message);
        }
    }

    /**
     * Receives the intent that an app sends with its callback: its string extras. On any thread.
     */
    interface Callback {
        void replied(Map<String, String> extras);
    }

    /** Enabled services of enabled apps with {@link #SERVICE_ACTION}, grouped by app. */
    List<Component> services();

    /**
     * Enabled providers of enabled apps, by ACTION_VIEW with {@link #PROVIDER_TYPE} or by {@link
     * #PROVIDER_ACTION}, each once, grouped by app.
     */
    List<Component> providers();

    /**
     * The XML resource of {@link #CAPABILITIES_KEY}.
     *
     * @param deepest the levels of elements that a descriptor may have
     * @param longest the UTF-16 units that all its words together may have
     */
    Element descriptor(Component service, int deepest, int longest) throws NoDescriptor;

    /** The package manager's count of changes. */
    int sequence();

    /** Names of the packages that changed since the sequence number; null when that is unknown. */
    List<String> changedSince(int sequence);

    /**
     * ContentProvider.call as the current user; blocks until the app answers, so it is called on a
     * thread that can be abandoned. Values are String, Boolean, Integer, Long, Double, String[]
     * or Map of strings; in the answer also {@link #UNREADABLE}. `no_component` with `installed`,
     * `app_refused`, `app_not_started`; `app_threw` and `app_died`, happened `maybe`.
     */
    Map<String, Object> call(
            String authority, String method, String arg, Map<String, Object> extras);

    /**
     * Start a service with the extras and a callback in `mcp_callback`; a temporary allow-list
     * entry first, as a foreground service only if that is refused. Does not wait for the answer.
     * `no_component` with `installed`, `app_refused`, `app_not_started`.
     */
    void start(
            String packageName, String className, Map<String, String> extras, Callback callback);
}
