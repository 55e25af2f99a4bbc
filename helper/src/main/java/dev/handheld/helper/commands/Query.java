package dev.handheld.helper.commands;

import dev.handheld.helper.device.Tables;
import dev.handheld.helper.protocol.Answer;
import dev.handheld.helper.protocol.Arguments;
import dev.handheld.helper.protocol.Command;
import dev.handheld.helper.protocol.Job;
import dev.handheld.helper.protocol.JsonWriter;
import dev.handheld.helper.protocol.Lane;
import dev.handheld.helper.protocol.Limits;
import dev.handheld.helper.protocol.Text;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** Reads rows of a content provider. */
final class Query extends Command {
    private static final int MOST = 20;

    Query() {
        super("query", Lane.APPS, false, false);
    }

    @Override
    public void check(Map<String, Object> with) {
        Arguments.keys(with, "uri", "columns", "where", "arguments", "sort", "limit");
        Object uri = with.get("uri");
        if (!(uri instanceof String) || !((String) uri).startsWith("content://")) {
            throw Arguments.bad("`uri` is not a string that begins with content://.");
        }
        texts(with, "columns", 1);
        texts(with, "arguments", 0);
        words(with, "where");
        words(with, "sort");
        Object limit = with.get("limit");
        if (!(limit instanceof Long) || (Long) limit < 1 || (Long) limit > Limits.QUERY_ROWS) {
            throw Arguments.bad(
                    "`limit` is not a whole number from 1 to " + Limits.QUERY_ROWS + ".");
        }
    }

    private static String words(Map<String, Object> with, String name) {
        Object value = with.get(name);
        if (value != null && !(value instanceof String)) {
            throw Arguments.bad("`" + name + "` is not null or a string.");
        }
        return (String) value;
    }

    private static List<String> texts(Map<String, Object> with, String name, int least) {
        List<String> texts = new ArrayList<String>();
        Object value = with.get(name);
        boolean fits = value instanceof List;
        for (Object one : fits ? (List<?>) value : Collections.emptyList()) {
            fits = fits && one instanceof String;
            texts.add(fits ? (String) one : "");
        }
        if (!fits || texts.size() < least || texts.size() > MOST) {
            throw Arguments.bad(
                    "`" + name + "` is not a list of " + least + " to " + MOST + " strings.");
        }
        return texts;
    }

    @Override
    public Answer run(Job job) {
        final int limit = ((Long) job.with.get("limit")).intValue();
        final List<Object> rows = new ArrayList<Object>();
        final boolean[] more = {false};
        Tables tables = job.device.tables();
        tables.query(
                (String) job.with.get("uri"),
                texts(job.with, "columns", 1),
                words(job.with, "where"),
                texts(job.with, "arguments", 0),
                words(job.with, "sort"),
                limit + 1,
                new Tables.Reader() {
                    private int left = Limits.QUERY_UNITS;

                    @Override
                    public boolean row(List<Object> cells) {
                        List<Object> told = new ArrayList<Object>();
                        for (Object cell : cells) {
                            if (cell instanceof String) {
                                String text = Text.cut((String) cell, Limits.CELL_UNITS);
                                left -= text.length();
                                told.add(text);
                            } else {
                                told.add(cell);
                            }
                        }
                        more[0] = rows.size() == limit || left < 0;
                        if (!more[0]) {
                            rows.add(told);
                        }
                        return !more[0];
                    }
                });
        byte[] data = JsonWriter.bytes(Collections.<String, Object>singletonMap("rows", rows));
        return Answer.of("more", more[0])
                .and("zone", tables.zone())
                .and("offset_s", tables.offset())
                .with(data);
    }
}
