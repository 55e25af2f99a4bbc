package dev.handheld.helper.compat;

import android.graphics.Bitmap;
import dev.handheld.helper.device.Picture;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import java.io.ByteArrayOutputStream;

/** Scales a bitmap and compresses it. The bitmap is recycled. */
final class PictureEncoder {
    private PictureEncoder() {}

    static Picture encode(Bitmap bitmap, int maxSize, boolean png, int quality) {
        Bitmap whole = inMemory(bitmap);
        if (whole == null) {
            throw new Failure(Code.CAPTURE_FAILED, "Android gave no picture of the screen.");
        }
        Bitmap scaled = scale(whole, maxSize);
        ByteArrayOutputStream data = new ByteArrayOutputStream(256 * 1024);
        Bitmap.CompressFormat format =
                png ? Bitmap.CompressFormat.PNG : Bitmap.CompressFormat.JPEG;
        boolean done = scaled.compress(format, quality, data);
        Picture picture =
                new Picture(scaled.getWidth(), scaled.getHeight(), data.toByteArray());
        scaled.recycle();
        if (!done) {
            throw new Failure(Code.CAPTURE_FAILED, "The picture could not be compressed.");
        }
        return picture;
    }

    /** A hardware bitmap can be neither scaled nor compressed here; null if it cannot be copied. */
    private static Bitmap inMemory(Bitmap picture) {
        if (picture.getConfig() != Bitmap.Config.HARDWARE) {
            return picture;
        }
        Bitmap copy = picture.copy(Bitmap.Config.ARGB_8888, false);
        picture.recycle();
        return copy;
    }

    /** Halve first: one large step would skip pixels, and small print with them. */
    private static Bitmap scale(Bitmap whole, int maxSize) {
        int longest = Math.max(whole.getWidth(), whole.getHeight());
        if (maxSize <= 0 || longest <= maxSize) {
            return whole;
        }
        double share = (double) maxSize / longest;
        int width = Math.max(1, (int) Math.round(whole.getWidth() * share));
        int height = Math.max(1, (int) Math.round(whole.getHeight() * share));
        Bitmap now = whole;
        while (now.getWidth() >= 2 * width && now.getHeight() >= 2 * height) {
            now = resize(now, now.getWidth() / 2, now.getHeight() / 2);
        }
        return resize(now, width, height);
    }

    private static Bitmap resize(Bitmap picture, int width, int height) {
        Bitmap resized = Bitmap.createScaledBitmap(picture, width, height, true);
        if (resized != picture) {
            picture.recycle();
        }
        return resized;
    }
}
