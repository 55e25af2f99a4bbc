package dev.handheld.helper.compat;

import android.content.ContentResolver;
import android.database.Cursor;
import android.net.Uri;
import android.os.Bundle;
import dev.handheld.helper.device.Tables;
import java.util.ArrayList;
import java.util.List;
import java.util.TimeZone;

/** Tables of content providers, as the shell may read them. */
final class AndroidTables implements Tables {
    private static final int SECOND_MS = 1000;

    private final Providers providers;
    private final AndroidPhone phone;

    AndroidTables(Providers providers, AndroidPhone phone) {
        this.providers = providers;
        this.phone = phone;
    }

    @Override
    public void query(
            String uri,
            List<String> columns,
            String where,
            List<String> arguments,
            String sort,
            int limit,
            final Reader reader) {
        providers.query(
                Uri.parse(uri),
                phone.user(),
                columns.toArray(new String[0]),
                wishes(where, arguments, sort, limit),
                new Providers.Rows() {
                    @Override
                    public void read(Cursor cursor) {
                        readRows(cursor, reader);
                    }
                });
    }

    static Bundle wishes(String where, List<String> arguments, String sort, int limit) {
        Bundle wishes = new Bundle();
        if (where != null) {
            wishes.putString(ContentResolver.QUERY_ARG_SQL_SELECTION, where);
            wishes.putStringArray(
                    ContentResolver.QUERY_ARG_SQL_SELECTION_ARGS,
                    arguments.toArray(new String[0]));
        }
        if (sort != null) {
            wishes.putString(ContentResolver.QUERY_ARG_SQL_SORT_ORDER, sort);
        }
        wishes.putInt(ContentResolver.QUERY_ARG_LIMIT, limit);
        return wishes;
    }

    static void readRows(Cursor cursor, Reader reader) {
        int count = cursor.getColumnCount();
        boolean wanted = true;
        while (wanted && cursor.moveToNext()) {
            List<Object> cells = new ArrayList<Object>(count);
            for (int column = 0; column < count; column++) {
                cells.add(cell(cursor, column));
            }
            wanted = reader.row(cells);
        }
    }

    private static Object cell(Cursor cursor, int column) {
        switch (cursor.getType(column)) {
            case Cursor.FIELD_TYPE_INTEGER:
                return cursor.getLong(column);
            case Cursor.FIELD_TYPE_FLOAT:
                double number = cursor.getDouble(column);
                return Double.isNaN(number) || Double.isInfinite(number) ? null : number;
            case Cursor.FIELD_TYPE_STRING:
                return cursor.getString(column);
            default:
                return null;
        }
    }

    @Override
    public String zone() {
        // The zone may have been changed since this program began.
        TimeZone.setDefault(null);
        return TimeZone.getDefault().getID();
    }

    @Override
    public int offset() {
        return TimeZone.getDefault().getOffset(System.currentTimeMillis()) / SECOND_MS;
    }
}
