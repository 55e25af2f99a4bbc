package dev.handheld.helper.bridge;

import dev.handheld.helper.device.Tables;
import java.util.ArrayList;
import java.util.List;

/** The tables of the test's world. */
final class BridgeTables implements Tables {
    private final Bridge bridge;

    BridgeTables(Bridge bridge) {
        this.bridge = bridge;
    }

    @Override
    public void query(
            String uri,
            List<String> columns,
            String where,
            List<String> arguments,
            String sort,
            int limit,
            Reader reader) {
        Object said = bridge.call("query", uri, columns, where, arguments, sort);
        for (Object row : (List<?>) said) {
            if (!reader.row(new ArrayList<Object>((List<?>) row))) {
                return;
            }
        }
    }

    @Override
    public String zone() {
        return (String) ((List<?>) bridge.call("zone")).get(0);
    }

    @Override
    public int offset() {
        return ((Number) ((List<?>) bridge.call("zone")).get(1)).intValue();
    }
}
