package dev.handheld.helper.framework;

import android.content.Context;
import android.view.MotionEvent;
import android.view.VelocityTracker;
import android.view.View;
import android.view.ViewConfiguration;
import android.widget.OverScroller;

/** Goes on after the finger is gone, as far as Android's VelocityTracker and OverScroller say. */
final class FlingView extends View {
    private static final int END = 20_000;

    private final OverScroller scroller;
    private VelocityTracker velocity;
    private float last;

    FlingView(Context context) {
        super(context);
        scroller = new OverScroller(context);
    }

    @Override
    public boolean onTouchEvent(MotionEvent event) {
        switch (event.getActionMasked()) {
            case MotionEvent.ACTION_DOWN:
                velocity = VelocityTracker.obtain();
                last = event.getY();
                break;
            case MotionEvent.ACTION_MOVE:
                scrollBy(0, Math.round(last - event.getY()));
                last = event.getY();
                break;
            case MotionEvent.ACTION_UP:
                velocity.computeCurrentVelocity(1000);
                int speed = (int) -velocity.getYVelocity();
                int least = ViewConfiguration.get(getContext()).getScaledMinimumFlingVelocity();
                if (Math.abs(speed) > least) {
                    scroller.fling(0, getScrollY(), 0, speed, 0, 0, 0, END);
                    postInvalidateOnAnimation();
                }
                break;
            default:
                break;
        }
        if (velocity != null) {
            velocity.addMovement(event);
        }
        return true;
    }

    @Override
    public void computeScroll() {
        if (scroller.computeScrollOffset()) {
            scrollTo(0, scroller.getCurrY());
            postInvalidateOnAnimation();
        }
    }
}
