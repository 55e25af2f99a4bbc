package org.example.teashop;

import android.app.Activity;
import android.os.Bundle;
import android.view.View;
import android.widget.TextView;
import android.widget.Toast;
import dev.handheld.apptools.ToolFailed;

/** What a person sees of the shop: the same cups that agents brew and drink. */
public final class ShopActivity extends Activity {
    @Override
    protected void onCreate(Bundle state) {
        super.onCreate(state);
        setContentView(R.layout.shop);
        findViewById(R.id.brew)
                .setOnClickListener(
                        new View.OnClickListener() {
                            @Override
                            public void onClick(View button) {
                                brew();
                            }
                        });
    }

    @Override
    protected void onResume() {
        super.onResume();
        show();
    }

    private void brew() {
        try {
            Shelf.of(this).add(1);
        } catch (ToolFailed problem) {
            Toast.makeText(this, problem.getMessage(), Toast.LENGTH_LONG).show();
        }
        show();
    }

    private void show() {
        int cups = (int) Shelf.of(this).cups();
        TextView shown = findViewById(R.id.cups);
        shown.setText(getResources().getQuantityString(R.plurals.cups, cups, cups));
    }
}
