"""What calls can do, in the words of the owner's rules and limits: the names of the main surface's
tools, by toolset. Tools and actions of all surfaces say which of these they do."""

from collections.abc import Mapping

_BY_TOOLSET: Mapping[str, str] = {
    "screen": "get_screen_state",
    "system": (
        "press_back press_home press_recents open_notifications open_quick_settings get_device_logs"
    ),
    "touch": "tap long_press double_tap swipe scroll",
    "gesture": "pinch custom_gesture",
    "element": "find_elements click_element long_click_element scroll_to_element",
    "text": "type_append_text type_insert_text type_replace_text type_clear_text press_key",
    "utility": "get_clipboard set_clipboard wait_for_element wait_for_idle get_element_details",
    "files": (
        "list_storage_locations list_files read_file write_file append_file file_replace "
        "download_from_url delete_file"
    ),
    "apps": "open_app list_apps close_app",
    "sms": "send_sms get_sms_subscriptions",
    "notifications": (
        "notification_list notification_open notification_dismiss notification_snooze "
        "notification_action notification_reply wait_for_notification"
    ),
    "links": "open_uri find_handlers",
    "intents": "send_intent",
    "packages": "install_app uninstall_app clear_app_data get_app_info set_app_permission",
    "device": (
        "get_device_info set_rotation set_appearance set_network set_volume set_language "
        "get_location set_location set_screen dismiss_keyboard"
    ),
    "diagnostics": "list_crashes get_crash get_performance",
    "web": "list_web_pages read_web_page",
    "web_scripts": "run_web_script",
    "recording": "start_recording stop_recording",
    "personal": "find_contacts list_events list_calls list_messages list_media",
    "camera": "list_cameras take_camera_photo save_camera_photo save_camera_video",
    "fleet": "list_phones take_phone lease_status give_back_phone",
}
TOOLSET_OF: Mapping[str, str] = {
    ability: toolset for toolset, abilities in _BY_TOOLSET.items() for ability in abilities.split()
}
