"""The differences between releases of Android that the phone shows, each with a name.

Code checks a named difference such as `world.android.root_tasks`, and never compares API levels.
"""

from collections.abc import Sequence
from functools import cache
from typing import NoReturn, overload

from .releases import RELEASES, Release

LATEST = 1_000
"""`until` of a change that still applies."""


class Change:
    """A change that applies to API levels `since` to `until`. As an attribute of an `Android` it is
    a bool."""

    __slots__ = ("about", "since", "until")

    def __init__(self, since: int, about: str, *, until: int = LATEST) -> None:
        self.since, self.until, self.about = since, until, about

    def covers(self, api: int) -> bool:
        return self.since <= api <= self.until

    @overload
    def __get__(self, android: None, owner: type) -> "Change": ...
    @overload
    def __get__(self, android: object, owner: type) -> bool: ...
    def __get__(self, android: object, owner: type) -> "Change | bool":
        # Reached only on the class: an instance has the value in its `__dict__`.
        assert android is None
        return self


class Android:
    """One release of Android. Immutable; every change is evaluated when it is created."""

    # Apps, permissions, screen

    notification_permission = Change(33, "Apps need POST_NOTIFICATIONS to show notifications.")
    media_permissions = Change(33, "READ_MEDIA_IMAGES, READ_MEDIA_VIDEO and READ_MEDIA_AUDIO.")
    bluetooth_permissions = Change(31, "BLUETOOTH_SCAN and BLUETOOTH_CONNECT are dangerous.")
    activity_recognition_permission = Change(29, "ACTIVITY_RECOGNITION is dangerous.")
    permission_controller = Change(
        29, "PermissionController shows the permission dialog; before, PackageInstaller."
    )
    one_time_permissions = Change(30, 'The permission dialog offers "Only this time".')
    root_activity_kept_on_back = Change(
        31, "Back moves a task's root launcher activity to the back instead of finishing it."
    )
    state_descriptions = Change(
        30, "A Switch reports ON or OFF as its state description; before, at the end of its text."
    )
    headings_and_panes = Change(28, "A view can be a heading, and a pane with a title.")
    partly_checked_state = Change(36, "AccessibilityNodeInfo.getChecked: also partly checked.")
    first_crash_is_silent = Change(28, "The first crash of an app shows no dialog.")
    crash_dialog_app_info = Change(28, 'The crash dialog offers "App info".')
    anr_names_window = Change(30, "The reason of an ANR names the window that does not respond.")
    links_need_approval = Change(
        31, "Web links of hosts that no app was approved for open in the browser."
    )
    intent_resolver = Change(34, "The share sheet is an app: com.android.intentresolver.")
    hidden_views_reported = Change(
        31, "A view that becomes GONE is a change of its parent's subtree."
    )
    same_text_reported = Change(26, "setText with the same text is a change.", until=32)
    enabled_changes = Change(34, "CONTENT_CHANGE_TYPE_ENABLED: setEnabled reports a second change.")
    ime_enter_action = Change(30, "AccessibilityAction ACTION_IME_ENTER.")
    input_verified = Change(
        36, "InputDispatcher refuses injected events that do not follow from those before."
    )
    clipboard_cleared = Change(33, "ClipboardService clears the primary clip after an hour.")
    clipboard_overlay = Change(33, "SystemUI shows a preview of what was copied.")
    lock_screen_says_open = Change(29, 'The lock screen hints "open"; before, "unlock".')
    notification_shade_window = Change(
        30, "Shade and lock screen are the window NotificationShade; before, StatusBar."
    )
    navigation_mode_setting = Change(29, "Settings.Secure.navigation_mode.")
    night_mode_override_settings = Change(30, "Settings.Secure.ui_night_mode_override_on and _off.")
    partition_properties = Change(30, "ro.product.system.*; ro.build.version.release_or_codename.")

    # adbd and the shell

    adb_abb = Change(29, "adbd feature abb.")
    adb_sync_v2 = Change(30, "adbd features abb_exec, ls_v2, sendrecv_v2 and symlink timestamps.")
    adb_track_app = Change(31, "adbd feature track_app.")
    adb_delayed_ack = Change(34, "adbd feature delayed_ack.")
    adb_remount_program = Change(30, "`remount:` runs a program, which user builds do not have.")
    shell_names_inaccessible = Change(29, "mksh reports `inaccessible or not found`.")
    help_succeeds = Change(35, "`cmd activity help` and the like exit with 0.")
    exceptions_name_command = Change(
        30, "BasicShellCommandHandler names the command in `Exception occurred while executing`."
    )

    # Installing

    randomized_code_paths = Change(30, "/data/app/~~RANDOM/PACKAGE-RANDOM.")
    asset_path_failure = Change(29, "A broken APK fails with `Failed to load asset path`.")
    certificate_failure_repeated = Change(
        30, "An unsigned APK fails with `Failed collecting certificates` as well.", until=30
    )
    signature_v2_required = Change(30, "Apps that target 30 need APK Signature Scheme v2.")
    exported_required = Change(31, "Apps that target 31 state android:exported with filters.")
    install_failures_explained = Change(
        31, "Test-only APKs, downgrades and empty sessions fail with an explanation."
    )
    adb_downgrades = Change(29, "`adb install -d` downgrades apps that are not debuggable.")
    signature_mismatch_reworded = Change(33, "`Existing package … signatures do not match newer`.")
    install_replaces = Change(29, "`pm install` replaces without -r, and -R forbids it.")
    install_package_source = Change(33, "`pm install --package-source`.")
    install_update_ownership = Change(
        34, "`pm install --update-ownership` and `--bypass-low-target-sdk-block`."
    )
    uninstall_unknown_fails = Change(
        30, "`pm uninstall` of an unknown package asks the installer; before, only its list."
    )
    install_opens_null = Change(
        28, "`pm install` without a file and a size tries to open `null`.", until=29
    )
    install_commit_options = Change(31, "`pm install-commit` refuses unknown options.")
    install_commit_skips = Change(30, "`pm install-commit` skips other options.", until=30)
    grant_checks_package = Change(35, "`pm grant` looks for the package itself.")
    package_update_reason = Change(34, "ApplicationExitInfo.REASON_PACKAGE_UPDATED.")
    kill_causes = Change(30, "ActivityManager logs `due to …` when it kills a process.")

    # Commands

    app_functions = Change(36, "The service app_function.")
    app_function_is_enabled = Change(37, "`cmd app_function is-enabled`, and more.")
    activity_task_manager = Change(29, "ActivityTaskManager logs starts; before, ActivityManager.")
    intent_data_redacted = Change(33, "Intent.toString() hides paths of every scheme.")
    intent_match_external = Change(28, "`am start --activity-match-external`.")
    intent_identifier = Change(29, "Intents have an identifier: `am start -i`.")
    intent_doubles = Change(33, "`am start --ed`, `--eda` and `--edal`.")
    intent_flags_unsigned = Change(35, "`am start -f` takes numbers of 32 bits without a sign.")
    intent_extended_flags = Change(36, "`am start` marks the intent: xflg=0x4.")
    nfc_data_redacted = Change(28, "Intent.toString() hides numbers of nfc:.")
    rtsp_data_redacted = Change(29, "Intent.toString() hides paths of rtsp:.")
    media_scans_every_volume = Change(
        29, "ACTION_MEDIA_SCANNER_SCAN_FILE works outside of the primary storage."
    )
    media_scan_call = Change(29, "MediaProvider has the method scan_file.")
    media_scan_path = Change(30, "scan_file takes a path; before, a Uri among the extras.")
    am_start_fails = Change(35, "`am start` exits with 1 when nothing was started.")
    am_windowing_mode = Change(28, "`am start --windowingMode`, `--activityType`, `--lock-task`.")
    am_background_starts = Change(30, "`am … --allow-background-activity-starts`.")
    background_starts_blocked = Change(
        29, "Apps without a window do not start activities; the start is reported as a success."
    )
    background_starts_lent = Change(
        33, "Who sends another app's intent can lend it the permission to start activities."
    )
    am_async = Change(31, "`am … --async`.")
    am_splash_screen_icon = Change(33, "`am start --splashscreen-show-icon`.")
    am_dismiss_keyguard = Change(34, "`am start --dismiss-keyguard`.")
    am_stop_app = Change(33, "`am stop-app`.")
    am_start_launch_state = Change(29, "`am start -W` prints LaunchState; before, ThisTime.")
    airplane_mode_command = Change(28, "`cmd connectivity airplane-mode`.")
    audio_command = Change(31, "`cmd audio`.")
    audio_volume_dumped = Change(30, "`dumpsys audio` prints the volume in effect.")
    audio_volume_command = Change(35, "`cmd audio set-volume`, `get-stream-volume` and the like.")
    bluetooth_command = Change(33, "`cmd bluetooth_manager enable`.")
    display_command = Change(28, "`cmd display set-brightness`.")
    brightness_is_switch = Change(
        28, "`cmd display set-brightness` knows 0 and 1 only: `(int) brightness * 255`.", until=28
    )
    locale_command = Change(33, "`cmd locale set-app-locales`.")
    location_command = Change(30, "`cmd location`.")
    location_kept_from_background = Change(
        29,
        "A program without a window gets no location without ACCESS_BACKGROUND_LOCATION, and no"
        " error; the shell holds that permission only later.",
        until=29,
    )
    location_managers = Change(29, "A manager for each location provider, mocked or not.")
    mocks_replaced = Change(30, "A test provider replaces one of its name; removing none is fine.")
    location_test_providers = Change(31, "`cmd location providers add-test-provider` and so on.")
    location_providers_dumped = Change(31, "`dumpsys location` lists providers.")
    media_session_command = Change(30, "`cmd media_session`; before, only the program `media`.")
    phone_data_command = Change(30, "`cmd phone data`.")
    wifi_command = Change(30, "`cmd wifi set-wifi-enabled` is open to the shell.")
    content_fails = Change(30, "`content` exits with 1 after an error.")
    shell_usage_stats = Change(28, "The shell holds PACKAGE_USAGE_STATS.")
    shell_uses_cameras = Change(31, "Programs of the shell can open cameras.")
    shell_reads_calls = Change(31, "The shell may query content://call_log.")
    shell_reads_sms = Change(29, "The shell may query content://sms.")
    status_icons_command = Change(27, "`cmd statusbar get-status-icons`.")
    statusbar_help_succeeds = Change(31, "`cmd statusbar help` exits with 0, without help with 1.")
    night_mode_custom = Change(30, "`cmd uimode night custom`.")
    night_mode_schedules = Change(33, "`cmd uimode night custom_schedule` and `custom_bedtime`.")
    notification_command = Change(28, "`cmd notification`.")
    notification_suspend_command = Change(
        28, "`cmd notification suspend_package` and `unsuspend_package`.", until=30
    )
    notification_post_command = Change(29, "`cmd notification post` and `get_approved_assistant`.")
    notification_list_command = Change(
        30,
        "`cmd notification list`, `get`, `snooze`, `set_dnd`; `post` has another number, channel.",
    )
    notification_snooze_checks = Change(
        30, "`cmd notification snooze` refuses a key that is not there.", until=31
    )
    notification_redaction_command = Change(
        35, "`cmd notification redact_otp_from_untrusted_listeners`."
    )
    notification_listener = Change(29, "The shell may listen to notifications.")
    crashed_by_adb = Change(32, "`am crash` throws a CrashedByAdbException.")
    ime_names_user = Change(29, "`ime` prints `for user #0`.")
    input_shell_command = Change(
        31, "`input` is InputShellCommand in system_server, also as `cmd input`."
    )
    input_usage_first = Change(
        29, "`input` prints usage before errors, and on stdout without arguments."
    )
    input_extra_arguments = Change(29, "`input` ignores surplus arguments.")
    input_display = Change(29, "`input -d DISPLAY_ID`.")
    input_motionevent = Change(29, "`input motionevent`.")
    input_key_combination = Change(31, "`input keycombination`.")
    input_key_combination_duration = Change(33, "`input keycombination -t`.")
    input_double_tap = Change(31, "`input keyevent --doubletap`.")
    input_key_options = Change(35, "`input keyevent --async`, `--delay` and `--duration`.")
    input_rotary_encoder = Change(35, "`input rotaryencoder`.")
    logcat_single_buffer = Change(30, "`logcat` announces the buffer also when it reads just one.")
    logcat_size_units = Change(30, "`logcat -g` prints KiB; before, Kb.")
    logcat_readable = Change(31, "`logcat -g` prints what is readable.")
    logcat_uid = Change(33, "`logcat --uid`.")
    logcat_announces_printed = Change(
        34, "`logcat` announces a buffer only when a line of it is printed."
    )
    logcat_errors_reworded = Change(34, "`logcat` reports `Invalid -v` and `Unknown -b buffer`.")
    pm_in_service = Change(28, "`cmd package` has all commands; before, the program `pm` had some.")
    pm_list_apex = Change(29, "`pm list packages -a` and `--apex-only`.")
    pm_list_stopped = Change(
        34, "`pm list packages --show-stopped`, `--factory-only` and `--match-libraries`."
    )
    pm_query_flags = Change(29, "`pm resolve-activity --query-flags`.")
    physical_display_ids = Change(
        29, "Panels have 64 bit ids: `screencap -d`, `dumpsys SurfaceFlinger --display-id`."
    )
    screencap_color_space = Change(28, "Raw `screencap` has a word for the color space.")
    screencap_bad_display = Change(31, "`screencap` reports an invalid display id.")
    screencap_warning = Change(34, "`screencap` warns of several displays.")
    screenrecord_unlimited = Change(34, "`screenrecord --time-limit` takes 0, and over 180.")
    uiautomator_windows = Change(30, "`uiautomator dump --windows`.")
    uiautomator_real_size = Change(
        34, "`uiautomator dump` clips to the screen; before, to what apps have of it."
    )
    uiautomator_drawing_order = Change(35, "`uiautomator dump` has drawing-order and hint.")
    wm_display = Change(29, "`wm size -d DISPLAY_ID`.")
    wm_rotation = Change(29, "`wm set-user-rotation`.")
    wm_rotation_renamed = Change(31, "`wm user-rotation`, which prints the state as well.")

    # Reports of crashes and hangs

    report_uid = Change(30, "Reports in the drop box have UID and Process-Runtime.")
    report_frozen = Change(33, "Reports in the drop box have Frozen, those of ANRs ErrorId.")
    report_uptime = Change(35, "Reports in the drop box have SystemUptimeMs, Timestamp, PageSize.")
    tombstone_uid = Change(29, "Tombstones name the uid.")
    tombstone_timestamp = Change(30, "Tombstones have a Timestamp.")
    tombstone_command_line = Change(31, "Tombstones have Process uptime and Cmdline.")
    displayed_for_user = Change(34, "`Displayed` in the log names the user.")

    # dumpsys activity

    window_hierarchy = Change(
        30, "ActivityRecord and Task are window containers; before, AppWindowToken, TaskRecord."
    )
    root_tasks = Change(31, "Stacks are root tasks, in task display areas.")
    task_affinity_uid = Change(30, "A task's affinity begins with the uid.")
    activity_component = Change(29, "mActivityComponent; before, realActivity.")
    top_resumed_activity = Change(32, "A root task prints topResumedActivity.")
    activity_display = Change(33, "`dumpsys activity top` prints user, uid and display.")
    activity_record_brace = Change(33, "ActivityRecord closes its brace twice.", until=33)
    activity_record_decimal = Change(36, "ActivityRecord prints its identity in decimal.")
    exit_info = Change(30, "`dumpsys activity exit-info`.")
    exit_info_joined = Change(33, "`dumpsys activity exit-info` has several values on a line.")
    window_configuration = Change(28, "winConfig in a configuration; before, appBounds.")
    configuration_display = Change(29, "mAlwaysOnTop and mRotation.")
    configuration_display_windowing = Change(29, "mDisplayWindowingMode.", until=34)
    configuration_font_weight = Change(31, "fontWeightAdjustment.")
    configuration_mnc_zero = Change(34, "A configuration without a network prints 0mnc.")
    configuration_max_bounds = Change(31, "mMaxBounds.")
    configuration_display_rotation = Change(33, "mDisplayRotation.")

    # dumpsys window

    display_focus = Change(29, "mCurrentFocus and mFocusedApp belong to a display.")
    display_policy = Change(29, "Rotation, bars and screen state belong to a DisplayPolicy.")
    policy_without_bars = Change(30, "PhoneWindowManager prints no bars and no lock screen.")
    navigation_bar_numbered = Change(29, "NavigationBar0; before, NavigationBar.")
    display_min_task_size = Change(31, "mMinSizeOfResizeableTaskDp.")
    display_organized = Change(33, "A display prints `(organized)`.")
    display_insets = Change(30, "WindowInsetsStateController.")
    ime_targets_renamed = Change(31, "imeLayeringTarget; before, mInputMethodTarget.")
    window_min_task_size = Change(32, "`Minimum task size of display`; before, mInTouchMode.")
    window_frozen = Change(31, "mDisplayFrozen.")
    window_owner_users = Change(30, "showForAllUsers; before, mShowToOwnerOnly.")
    window_frames_first = Change(29, "A window prints Frames before mFrame.")
    window_frames_joined = Change(31, "A window prints all of its frames on one line.")

    # dumpsys of other services

    accessibility_services = Change(30, "Bound and enabled services are listed apart.")
    notification_channel_first = Change(26, "A notification's record names the channel.", until=26)
    notification_importance_locked = Change(
        28, "A notification's record prints appImportanceLocked.", until=29
    )
    notification_flags_line = Change(27, "A notification's record has a line with its flags.")
    notification_shortcut = Change(30, "Notifications print their shortcut; before, pri.")
    notification_extras_indented = Change(31, "A notification's extras are indented twice.")
    notification_proto_records = Change(
        28, "`dumpsys notification --proto` has a message for each; before, one for all."
    )
    notification_text_lengths = Change(33, "Redacted texts of notifications print their length.")
    notification_flag_names = Change(35, "Notifications print the names of their flags.")
    battery_dock = Change(33, "Dock powered.")
    display_viewports = Change(29, "mViewports, with ports; before, mDefaultViewport.")
    viewport_active = Change(30, "A viewport prints isActive.")
    display_type_internal = Change(30, "The panel's type is INTERNAL; before, BUILT_IN.")
    display_power_controllers = Change(33, "One Display Power Controller for each display.")
    input_source_names = Change(30, "`dumpsys input` names sources; before, in hexadecimal.")
    task_users = Change(29, "`TaskInfo.userId`.")
    user_parents = Change(31, "`cmd user list -v` prints each user's parent.")
    user_list_types = Change(33, "`cmd user list -v` prints each user's type.")
    user_list_visible = Change(34, "`cmd user list -v` prints which users are visible.")
    verbose_user_list = Change(30, "`cmd user list -v`; before, it prints the usual list.")
    user_types = Change(30, "A flag of UserInfo for every profile; before, for managed ones.")
    ime_interactive = Change(30, "mVisibleBound and mInteractive; before, mScreenOn.")
    ime_requested = Change(34, "mRequestedShowExplicitly; before, mShowRequested.")
    permission_sensitivity = Change(
        29, "Runtime permissions have flags from the start, so all are printed, joined by |."
    )
    package_distraction = Change(29, "distractionFlags.")
    package_user_data = Change(31, "dataDir and installReason belong to a user.")
    package_app_id = Change(34, "appId; before, userId.")
    package_user_install_time = Change(34, "firstInstallTime belongs to a user.")
    subscription_details = Change(29, "`dumpsys isub` prints carrierId, hplmns and more of a SIM.")
    dropbox_max_entries = Change(28, "`dumpsys dropbox` prints Max entries.")
    dropbox_low_priority = Change(30, "`dumpsys dropbox` prints tags of low priority.")
    dropbox_previews = Change(
        26, "`dumpsys dropbox` prints how each entry begins, without options.", until=33
    )
    dropbox_larger = Change(33, "The drop box takes 10 MB, and compresses from 16 KB on.")
    meminfo_rss = Change(30, "`dumpsys meminfo` prints resident sizes.")
    gfxinfo_deadlines = Change(31, "`dumpsys gfxinfo` counts missed deadlines; before, in part.")
    subscription_service = Change(34, "SubscriptionManagerService; before, SubscriptionController.")

    api: int
    version: str
    build_id: str
    security_patch: str
    last_key: str
    oldest_target: int

    def __init__(self, api: int, releases: Sequence[Release] = RELEASES) -> None:
        """Raises ValueError for an unknown API level."""
        known = [release for release in releases if release.api <= api]
        if not known or known[-1].api != api:
            raise ValueError(f"API level {api} is not known.")
        self.__dict__.update(
            {name: change.covers(api) for name, change in CHANGES.items()},
            api=api,
            version=known[-1].version,
            build_id=f"HANDHELD.{api}.001",
            security_patch=known[-1].security_patch,
            last_key=[release.last_key for release in known if release.last_key is not None][-1],
            oldest_target=[
                release.oldest_target for release in known if release.oldest_target is not None
            ][-1],
        )

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{name} of Android {self.version} cannot be changed")

    def has(self, change: Change) -> bool:
        """Whether a change applies, for tables that name changes."""
        return change.covers(self.api)

    def binds(self, change: Change, target_sdk: int) -> bool:
        """Whether a change applies to apps with this `targetSdkVersion`."""
        return self.has(change) and change.covers(target_sdk)


CHANGES: dict[str, Change] = {
    name: value for name, value in vars(Android).items() if isinstance(value, Change)
}
"""The changes by name, in the order above."""


@cache
def android(api: int) -> Android:
    """The release with this API level. Raises ValueError if it is unknown."""
    return Android(api)
