"""The features of the phone's hardware and software, as the package manager lists them."""

HARDWARE = (
    "android.hardware.bluetooth",
    "android.hardware.bluetooth_le",
    "android.hardware.faketouch",
    "android.hardware.ram.normal",
    "android.hardware.screen.landscape",
    "android.hardware.screen.portrait",
    "android.hardware.telephony",
    "android.hardware.telephony.gsm",
    "android.hardware.touchscreen",
    "android.hardware.touchscreen.multitouch",
    "android.hardware.touchscreen.multitouch.distinct",
    "android.hardware.touchscreen.multitouch.jazzhand",
    "android.hardware.wifi",
    "android.software.adoptable_storage",
    "android.software.app_widgets",
    "android.software.home_screen",
    "android.software.input_methods",
    "android.software.managed_users",
)
