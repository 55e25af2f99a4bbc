"""SMS messages by the phone's SIM cards."""

from ...phone.phone import Phone
from ..recording import Secret
from ..tool import Toolset, json_text
from .params import SmsSubscription, SmsText, ToPhoneNumber

sms = Toolset("sms")


# Not exclusive: a message needs no screen, and if Android asks there for permission to send it,
# other tools must be able to answer.
@sms.tool(
    title="Send SMS", destructive=True, open_world=True, exclusive=False, secret_reply=Secret.NO
)
async def send_sms(
    phone: Phone,
    to_phone_number: ToPhoneNumber,
    sms_text: SmsText,
    subscription_id: SmsSubscription = None,
) -> str:
    """Sends an SMS message to a specified phone number."""
    return await phone.sms.send(to_phone_number, sms_text, subscription_id)


@sms.tool(title="Get SMS subscriptions", read_only=True, idempotent=True, secret_reply=Secret.NO)
async def get_sms_subscriptions(phone: Phone) -> str:
    """Returns the list of active SMS subscriptions available on the device."""
    found = await phone.sms.subscriptions()
    subscriptions = [
        {
            "subscription_id": one.id,
            "sim_slot_index": one.slot,
            "carrier_name": one.carrier_name,
            "display_name": one.display_name,
        }
        for one in found
    ]
    return json_text({"count": len(found), "subscriptions": subscriptions})
