package dev.handheld.helper.framework;

import android.content.Context;
import android.view.GestureDetector;
import android.view.MotionEvent;
import android.view.ScaleGestureDetector;
import android.view.View;
import java.util.Locale;

/** Logs what Android's own detectors make of the fingers. */
final class GestureView extends View
        implements GestureDetector.OnDoubleTapListener,
                GestureDetector.OnGestureListener,
                ScaleGestureDetector.OnScaleGestureListener {
    private final GestureDetector gestures;
    private final ScaleGestureDetector scaling;
    private float scale = 1;

    GestureView(Context context) {
        super(context);
        gestures = new GestureDetector(context, this);
        scaling = new ScaleGestureDetector(context, this);
        setClickable(true);
        setLongClickable(true);
    }

    @Override
    public boolean onTouchEvent(MotionEvent event) {
        scaling.onTouchEvent(event);
        return gestures.onTouchEvent(event) || super.onTouchEvent(event);
    }

    @Override
    public boolean onDown(MotionEvent event) {
        return true;
    }

    @Override
    public void onShowPress(MotionEvent event) {}

    @Override
    public boolean onSingleTapUp(MotionEvent event) {
        return false;
    }

    @Override
    public boolean onSingleTapConfirmed(MotionEvent event) {
        Page.log("tap");
        return true;
    }

    @Override
    public boolean onDoubleTap(MotionEvent event) {
        Page.log("double tap");
        return true;
    }

    @Override
    public boolean onDoubleTapEvent(MotionEvent event) {
        return false;
    }

    @Override
    public void onLongPress(MotionEvent event) {
        Page.log("long press");
    }

    @Override
    public boolean onScroll(MotionEvent from, MotionEvent to, float x, float y) {
        return true;
    }

    @Override
    public boolean onFling(MotionEvent from, MotionEvent to, float x, float y) {
        boolean across = Math.abs(x) > Math.abs(y);
        Page.log("fling " + (across ? x < 0 ? "left" : "right" : y < 0 ? "up" : "down"));
        return true;
    }

    @Override
    public boolean onScaleBegin(ScaleGestureDetector detector) {
        scale = 1;
        return true;
    }

    @Override
    public boolean onScale(ScaleGestureDetector detector) {
        scale *= detector.getScaleFactor();
        return true;
    }

    @Override
    public void onScaleEnd(ScaleGestureDetector detector) {
        Page.log(String.format(Locale.ROOT, "scale %.2f", scale));
    }
}
