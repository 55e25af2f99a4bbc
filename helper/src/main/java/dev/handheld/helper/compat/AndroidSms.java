package dev.handheld.helper.compat;

import android.app.PendingIntent;
import android.content.Context;
import android.content.Intent;
import android.telephony.SmsManager;
import android.telephony.SubscriptionInfo;
import android.telephony.SubscriptionManager;
import dev.handheld.helper.device.Sim;
import dev.handheld.helper.device.Sms;
import dev.handheld.helper.protocol.Code;
import dev.handheld.helper.protocol.Failure;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/** SIMs and short messages, sent as the shell, which may do so. */
final class AndroidSms implements Sms {
    private final Context context;

    AndroidSms(Context context) {
        this.context = context;
    }

    @Override
    public List<Sim> sims() {
        SubscriptionManager manager =
                (SubscriptionManager)
                        context.getSystemService(Context.TELEPHONY_SUBSCRIPTION_SERVICE);
        List<Sim> found = new ArrayList<Sim>();
        List<SubscriptionInfo> active =
                manager == null ? null : manager.getActiveSubscriptionInfoList();
        if (active == null) {
            return found;
        }
        for (SubscriptionInfo one : active) {
            found.add(
                    new Sim(
                            one.getSubscriptionId(),
                            one.getSimSlotIndex(),
                            text(one.getDisplayName()),
                            text(one.getCarrierName())));
        }
        Collections.sort(
                found,
                new Comparator<Sim>() {
                    @Override
                    public int compare(Sim one, Sim other) {
                        return Integer.compare(one.slot, other.slot);
                    }
                });
        return found;
    }

    private static String text(CharSequence value) {
        return value == null ? "" : value.toString();
    }

    @SuppressWarnings("deprecation") // The newer method is in API 31, and this one still exists.
    @Override
    public int send(int subscription, String to, String text, Listener listener) {
        // Always for an explicit subscription: without one a phone with two SIMs asks the user.
        SmsManager manager = SmsManager.getSmsManagerForSubscriptionId(subscription);
        try {
            ArrayList<String> parts = manager.divideMessage(text);
            ArrayList<PendingIntent> sent = new ArrayList<PendingIntent>();
            for (int part = 0; part < parts.size(); part++) {
                sent.add(new PartSent(listener, part).pending());
            }
            // Also a single part: SmsManager sends it as a normal message.
            manager.sendMultipartTextMessage(to, null, parts, sent, null);
            return parts.size();
        } catch (RuntimeException refused) {
            // Before anything was sent: the whole message is passed in one call.
            throw new Failure(Code.FAILED, "Android refuses the message: " + refused.getMessage());
        }
    }

    /** Receives the result of one part. */
    private static final class PartSent extends Replies {
        private final Listener listener;
        private final int part;

        PartSent(Listener listener, int part) {
            this.listener = listener;
            this.part = part;
        }

        @Override
        void received(int code, Intent intent) {
            listener.reported(part, code);
        }
    }
}
