package dev.handheld.helper.compat;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;

import android.database.MatrixCursor;
import android.os.Bundle;
import dev.handheld.helper.device.Tables;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.annotation.Config;

/** What is asked of a provider, and what its cursors hold. */
@RunWith(RobolectricTestRunner.class)
@Config(sdk = {28, 30, 34})
public class AndroidTablesTest {
    @Test
    public void argumentsOrderAndLimitAreInTheBundle() {
        Bundle wishes =
                AndroidTables.wishes("a LIKE ?", Arrays.asList("%'; --"), "date DESC", 51);
        assertEquals("a LIKE ?", wishes.getString("android:query-arg-sql-selection"));
        assertArrayEquals(
                new String[] {"%'; --"},
                wishes.getStringArray("android:query-arg-sql-selection-args"));
        assertEquals("date DESC", wishes.getString("android:query-arg-sql-sort-order"));
        assertEquals(51, wishes.getInt("android:query-arg-limit"));
        assertFalse(
                AndroidTables.wishes(null, Arrays.<String>asList(), null, 1)
                        .containsKey("android:query-arg-sql-selection"));
    }

    @Test
    public void cellsHaveTheirKindsAndReadingEndsWhenItIsEnough() {
        MatrixCursor cursor = new MatrixCursor(new String[] {"a", "b", "c", "d", "e"});
        cursor.addRow(new Object[] {7L, "x", null, 1.5, new byte[] {1}});
        cursor.addRow(new Object[] {8L, "y", null, Double.NaN, null});
        cursor.addRow(new Object[] {9L, "z", null, 0.0, null});
        final List<List<Object>> rows = new ArrayList<List<Object>>();
        AndroidTables.readRows(
                cursor,
                new Tables.Reader() {
                    @Override
                    public boolean row(List<Object> cells) {
                        rows.add(cells);
                        return rows.size() < 2;
                    }
                });
        assertEquals(
                Arrays.asList(
                        Arrays.<Object>asList(7L, "x", null, 1.5, null),
                        Arrays.<Object>asList(8L, "y", null, null, null)),
                rows);
    }
}
