package com.yourcompany.yourapp

import android.content.ContentProvider
import android.content.ContentValues
import android.database.Cursor
import android.net.Uri
import android.os.Bundle

class McpToolProvider : ContentProvider() {
    companion object {
        const val METHOD_GET_TOOL_INFO = "get_tool_info"
        const val METHOD_EXECUTE_TOOL = "execute_tool"

        // Bundle keys
        const val KEY_TOOL_NAME = "tool_name"
        const val KEY_TOOL_DESCRIPTION = "tool_description"
        const val KEY_TOOL_INPUT_SCHEMA = "tool_input_schema"
        const val KEY_TOOL_INPUT_REQUIRED = "tool_input_required"
        const val KEY_TOOL_ARGUMENTS = "tool_arguments"
        const val KEY_TOOL_RESULT = "tool_result"
        const val KEY_SUCCESS = "success"
        const val KEY_ERROR_MESSAGE = "error_message"
    }

    override fun call(method: String, arg: String?, extras: Bundle?): Bundle {
        return when (method) {
            METHOD_GET_TOOL_INFO -> getToolInfo()
            METHOD_EXECUTE_TOOL -> executeToolRequest(extras)
            else -> errorBundle("Unknown method: $method")
        }
    }

    private fun getToolInfo(): Bundle {
        return Bundle().apply {
            putBoolean(KEY_SUCCESS, true)
            putString(KEY_TOOL_NAME, "get_weather_forecast")
            putString(KEY_TOOL_DESCRIPTION, "Gets weather forecast for a location")
            putString(KEY_TOOL_INPUT_SCHEMA, """
                {
                    "location": {"type": "string", "description": "City name or coordinates"},
                    "days": {"type": "number", "description": "Number of days (1-7)"}
                }
            """.trimIndent())
            putStringArray(KEY_TOOL_INPUT_REQUIRED, arrayOf("location"))
        }
    }

    private fun executeToolRequest(extras: Bundle?): Bundle {
        if (extras == null) return errorBundle("No extras provided")

        val toolName = extras.getString(KEY_TOOL_NAME)
            ?: return errorBundle("Tool name not specified")

        @Suppress("UNCHECKED_CAST")
        val arguments = extras.getSerializable(KEY_TOOL_ARGUMENTS) as? Map<String, String>
            ?: return errorBundle("Invalid arguments")

        val location = arguments["location"] ?: return errorBundle("Location required")
        val days = arguments["days"]?.toIntOrNull() ?: 1

        // Call your weather API here
        val forecast = weatherService.getForecast(location, days)
        return Bundle().apply {
            putBoolean(KEY_SUCCESS, true)
            putString(KEY_TOOL_RESULT, forecast.toString())
        }
    }

    private fun errorBundle(message: String): Bundle {
        return Bundle().apply {
            putBoolean(KEY_SUCCESS, false)
            putString(KEY_ERROR_MESSAGE, message)
        }
    }

    // Required ContentProvider methods
    override fun onCreate(): Boolean = true
    override fun query(uri: Uri, projection: Array<out String>?, selection: String?, selectionArgs: Array<out String>?, sortOrder: String?): Cursor? = null
    override fun getType(uri: Uri): String? = "application/vnd.mcp.tool"
    override fun insert(uri: Uri, values: ContentValues?): Uri? = null
    override fun delete(uri: Uri, selection: String?, selectionArgs: Array<out String>?): Int = 0
    override fun update(uri: Uri, values: ContentValues?, selection: String?, selectionArgs: Array<out String>?): Int = 0
}
