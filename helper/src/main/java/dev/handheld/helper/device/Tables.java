package dev.handheld.helper.device;

import java.util.List;

/** Tables of content providers. */
public interface Tables {
    /** Takes rows as they are read. */
    interface Reader {
        /** Take the cells: Long, Double, String or null. Returns false to end the reading. */
        boolean row(List<Object> cells);
    }

    /**
     * Read rows as the current user. Throws `app_refused`; `no_component` without such a provider;
     * `app_not_started`; `app_threw` for its exception; `app_died`.
     *
     * @param arguments the values of the question marks in `where`
     * @param limit a hint: some providers read no more than these
     */
    void query(
            String uri,
            List<String> columns,
            String where,
            List<String> arguments,
            String sort,
            int limit,
            Reader reader);

    /** The name of the phone's time zone. */
    String zone();

    /** How far it is ahead of UTC now, in seconds. */
    int offset();
}
