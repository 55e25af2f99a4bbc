package dev.handheld.helper.compat;

import static org.junit.Assert.assertEquals;
import static org.robolectric.Shadows.shadowOf;

import android.app.PendingIntent;
import android.content.Context;
import android.content.IIntentSender;
import android.content.Intent;
import android.telephony.SmsManager;
import android.telephony.SubscriptionManager;
import dev.handheld.helper.device.Sim;
import dev.handheld.helper.device.Sms;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.robolectric.RobolectricTestRunner;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.shadows.ShadowSmsManager.TextMultipartParams;
import org.robolectric.shadows.ShadowSubscriptionManager.SubscriptionInfoBuilder;

@RunWith(RobolectricTestRunner.class)
public final class AndroidSmsTest {
    private final Context context = RuntimeEnvironment.getApplication();
    private final AndroidSms sms = new AndroidSms(context);
    private final List<String> reports = new ArrayList<String>();
    private final Sms.Listener listener =
            new Sms.Listener() {
                @Override
                public void reported(int part, int result) {
                    reports.add(part + ": " + result);
                }
            };

    @Test
    public void simsAreToldByTheirSlots() {
        SubscriptionManager manager =
                (SubscriptionManager)
                        context.getSystemService(Context.TELEPHONY_SUBSCRIPTION_SERVICE);
        shadowOf(manager)
                .setActiveSubscriptionInfos(
                        SubscriptionInfoBuilder.newBuilder()
                                .setId(5)
                                .setSimSlotIndex(1)
                                .setDisplayName("Work")
                                .setCarrierName("Telco")
                                .buildSubscriptionInfo(),
                        SubscriptionInfoBuilder.newBuilder()
                                .setId(9)
                                .setSimSlotIndex(0)
                                .buildSubscriptionInfo());

        List<String> told = new ArrayList<String>();
        for (Sim one : sms.sims()) {
            String names = "'" + one.displayName + "' '" + one.carrierName + "'";
            told.add(one.id + " " + one.slot + " " + names);
        }

        assertEquals(Arrays.asList("9 0 '' ''", "5 1 'Work' 'Telco'"), told);
    }

    @Test
    public void aPhoneWithoutASimHasNone() {
        assertEquals(new ArrayList<Sim>(), sms.sims());
    }

    @SuppressWarnings("deprecation")
    @Test
    public void everyPartReportsForItself() throws Exception {
        SmsManager manager = SmsManager.getSmsManagerForSubscriptionId(5);
        StringBuilder text = new StringBuilder();
        for (int count = 0; count < 200; count++) {
            text.append('a');
        }

        int parts = sms.send(5, "+4912345", text.toString(), listener);

        TextMultipartParams sent = shadowOf(manager).getLastSentMultipartTextMessageParams();
        assertEquals(2, parts);
        assertEquals("+4912345", sent.getDestinationAddress());
        assertEquals(manager.divideMessage(text.toString()), sent.getParts());
        assertEquals(parts, sent.getParts().size());
        assertEquals(parts, sent.getSentIntents().size());
        report(sent.getSentIntents().get(1), 4);
        report(sent.getSentIntents().get(0), -1);
        assertEquals(Arrays.asList("1: 4", "0: -1"), reports);
    }

    /** As Android passes it on. */
    private static void report(PendingIntent pending, int code) throws Exception {
        IIntentSender target = pending.getTarget();
        target.send(code, new Intent(), null, null, null, null, null);
    }
}
