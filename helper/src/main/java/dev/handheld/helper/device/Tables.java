package dev.handheld.helper.device;

import java.util.List;

/** Tables of content providers. */
public interface Tables {
    /** Takes rows as they are read. */
    interface Reader {
        /** The cells: Long, Double, String or null. False ends the reading. */
        boolean row(List<Object> cells);
    }

    /**
     * Read rows as the current user. Refused: `app_refused`; no such provider: `no_component`; not
     * started: `app_not_started`; an exception of it: `app_threw`; its end: `app_died`.
     *
     * @param arguments in the places of the question marks in `where`
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

    /** What it is ahead of UTC now, in seconds. */
    int offset();
}
