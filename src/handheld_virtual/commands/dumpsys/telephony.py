"""`dumpsys isub` and `dumpsys telephony.registry`: the SIMs and their networks."""

from ...sms.message import Sim
from ..call import CommandCall


async def isub(call: CommandCall) -> None:
    world = call.phone.world
    sims = sorted(world.telephony.sims, key=lambda sim: sim.id)
    active = world.telephony.active_sims
    default = world.telephony.default_sim or (active[0] if active else None)
    sub = default.id if default is not None else -1
    sms = world.telephony.default_sim
    if world.android.subscription_service:
        lines = [
            "SubscriptionManagerService:",
            "Active modem count=2",
            "Logical SIM slot sub id mapping:",
            *(f"  Logical SIM slot {sim.slot}: subId={sim.id}" for sim in active),
            f"  defaultSubId={sub}",
            f"  defaultVoiceSubId={sub}",
            f"  defaultDataSubId={sub}",
            f"  defaultSmsSubId={sms.id if sms is not None else -1}",
            "",
            "Active subscriptions:",
            *(f"  {_newest(sim)}" for sim in active),
            "",
            "All subscriptions:",
            *(f"  {_newest(sim)}" for sim in sims),
        ]
    else:
        show = _middle if world.android.subscription_details else _oldest
        lines = [
            "SubscriptionController:",
            f" mLastISubServiceRegTime={1000}",
            f" defaultSubId={sub}",
            f" defaultDataSubId={sub}",
            f" defaultVoiceSubId={sub}",
            f" defaultSmsSubId={sms.id if sms is not None else -1}",
            f" defaultDataPhoneId={default.slot if default is not None else -1}",
            f" defaultVoicePhoneId={default.slot if default is not None else -1}",
            f" defaultSmsPhoneId={sms.slot if sms is not None else -1}",
            *(f" sSlotIndexToSubId[{sim.slot}]: subId={sim.id}" for sim in active),
            "++++++++++++++++++++++++++++++++",
            " ActiveSubInfoList:",
            *(f"  {show(sim)}" for sim in active),
            "++++++++++++++++++++++++++++++++",
            " AllSubInfoList:",
            *(f"  {show(sim)}" for sim in sims),
            "++++++++++++++++++++++++++++++++",
        ]
    await call.write("".join(f"{line}\n" for line in lines))


def _hidden(sim: Sim) -> str:
    return f"{sim.icc_id[:9]}[****]"


def _slot(sim: Sim) -> int:
    return sim.slot if sim.active else -1


def _oldest(sim: Sim) -> str:
    return (
        f"{{id={sim.id}, iccId={_hidden(sim)} simSlotIndex={_slot(sim)}"
        f" displayName={sim.display_name} carrierName={sim.carrier} nameSource=0"
        " iconTint=-16746133 dataRoaming=0 iconBitmap=null"
        f" mcc {int(sim.mcc)} mnc {int(sim.mnc)} isEmbedded false accessRules null}}"
    )


def _middle(sim: Sim) -> str:
    return (
        f"{{id={sim.id} iccId={_hidden(sim)} simSlotIndex={_slot(sim)} carrierId=-1"
        f" displayName={sim.display_name} carrierName={sim.carrier} nameSource=0"
        " iconTint=-16746133 number=[****] dataRoaming=0 iconBitmap=null"
        f" mcc={sim.mcc} mnc={sim.mnc} countryIso={sim.country} isEmbedded=false"
        " nativeAccessRules=null cardString=[****] cardId=0 carrierConfigAccessRules=null"
        " isOpportunistic=false groupUUID=null isGroupDisabled=false profileClass=-1 ehplmns=[]"
        f" hplmns=[{sim.mcc}{sim.mnc}] subscriptionType=0 groupOwner=null"
        " areUiccApplicationsEnabled=true}"
    )


def _newest(sim: Sim) -> str:
    return (
        f"[SubscriptionInfo: id={sim.id} iccId={_hidden(sim)} simSlotIndex={_slot(sim)} portIndex=0"
        f" isEmbedded=false carrierId=-1 displayName={sim.display_name} carrierName={sim.carrier}"
        " isOpportunistic=false groupUuid=null groupOwner= isGroupDisabled=false"
        " displayNameSource=SIM_SPN iconTint=-16746133 number=[****] dataRoaming=0"
        f" mcc={sim.mcc} mnc={sim.mnc} ehplmns=[] hplmns=[{sim.mcc}{sim.mnc}] cardString=[****]"
        f" cardId=0 nativeAccessRules=null carrierConfigAccessRules=null countryIso={sim.country}"
        " profileClass=-1 mType=LOCAL_SIM areUiccApplicationsEnabled=true usageSetting=DEFAULT]"
    )


async def telephony_registry(call: CommandCall) -> None:
    world = call.phone.world
    lines = ["last known state:"]
    active = {sim.slot: sim for sim in world.telephony.active_sims}
    for slot in range(2):
        sim = active.get(slot)
        served = (
            sim is not None
            and world.telephony.radio_on
            and sim.id not in world.telephony.out_of_service
        )
        # 0 is in service, 1 out of service, 3 radio off.
        state = 0 if served else 3 if not world.telephony.radio_on else 1
        name = {0: "IN_SERVICE", 1: "OUT_OF_SERVICE", 3: "POWER_OFF"}[state]
        operator = sim if served else None
        long = operator.carrier if operator is not None else "null"
        numeric = f"{operator.mcc}{operator.mnc}" if operator is not None else "null"
        lines += [
            f"  Phone Id={slot}",
            "    mCallState=0",
            "    mRingingCallState=0",
            "    mForegroundCallState=0",
            "    mBackgroundCallState=0",
            "    mCallIncomingNumber=",
            f"    mServiceState={{mVoiceRegState={state}({name}), mDataRegState={state}({name}),"
            f" mChannelNumber=-1, duplexMode()=0, mCellBandwidths=[],"
            f" mOperatorAlphaLong={long}, mOperatorAlphaShort={long},"
            f" isManualNetworkSelection=false(automatic),"
            f" getRilVoiceRadioTechnology={'14(LTE)' if served else '0(Unknown)'},"
            f" getRilDataRadioTechnology={'14(LTE)' if served else '0(Unknown)'},"
            f" mOperatorNumeric={numeric}}}",
            "    mVoiceActivationState= 0",
            "    mDataActivationState= 0",
            "    mUserMobileDataState= true",
            "    mMessageWaiting=false",
            "    mCallForwarding=false",
            "    mDataActivity=0",
            f"    mDataConnectionState={2 if served else 0}",
        ]
    await call.write("".join(f"{line}\n" for line in lines))
