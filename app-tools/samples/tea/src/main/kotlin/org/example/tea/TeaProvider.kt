package org.example.tea

import android.content.ContentProvider
import android.content.ContentValues
import android.database.Cursor
import android.net.Uri
import android.os.Bundle

class TeaProvider : ContentProvider() {
    private var cups = 3

    override fun onCreate() = true

    override fun call(method: String, arg: String?, extras: Bundle?): Bundle = when (method) {
        "get_tool_info" -> describe()
        "execute_tool" -> try {
            execute(extras)
        } catch (problem: Exception) {
            failure(problem.message ?: problem.javaClass.simpleName)
        }
        else -> failure("Unknown method: $method")
    }

    private fun describe() = Bundle().apply {
        putBoolean("success", true)
        putString("tool_name", "drink_tea")
        putString("tool_description", "Drinks some cups of tea.")
        putString("tool_input_schema", """{"cups": {"type": "integer", "description": "How many"}}""")
        putStringArray("tool_input_required", arrayOf("cups"))
    }

    private fun execute(extras: Bundle?): Bundle {
        if (extras == null) return failure("No extras provided")
        val name = extras.getString("tool_name")
        if (name != "drink_tea") return failure("Unknown tool: $name")
        @Suppress("DEPRECATION")
        val arguments = extras.getSerializable("tool_arguments") as? Map<*, *>
            ?: return failure("Invalid arguments")
        val text = arguments["cups"]?.toString()
            ?: return failure("Missing required parameter: 'cups'")
        val wanted = text.toIntOrNull() ?: return failure("cups is a whole number.")
        return Bundle().apply {
            putString("tool_result", "${drink(wanted)} cups are left.")
            putBoolean("success", true)
        }
    }

    @Synchronized // calls come on several threads at once
    private fun drink(wanted: Int): Int {
        require(wanted in 1..cups) { "There are $cups cups." }
        cups -= wanted
        return cups
    }

    private fun failure(message: String) = Bundle().apply {
        putBoolean("success", false)
        putString("error_message", message)
    }

    override fun getType(uri: Uri): String = "application/vnd.mcp.tool"

    override fun query(
        uri: Uri,
        projection: Array<out String>?,
        selection: String?,
        selectionArgs: Array<out String>?,
        sortOrder: String?,
    ): Cursor? = null

    override fun insert(uri: Uri, values: ContentValues?): Uri? = null

    override fun delete(uri: Uri, selection: String?, selectionArgs: Array<out String>?) = 0

    override fun update(
        uri: Uri,
        values: ContentValues?,
        selection: String?,
        selectionArgs: Array<out String>?,
    ) = 0
}
