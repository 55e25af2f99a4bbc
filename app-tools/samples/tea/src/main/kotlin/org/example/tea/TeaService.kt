package org.example.tea

import android.app.PendingIntent
import android.app.Service
import android.content.Intent
import android.os.Build
import android.os.IBinder
import android.util.Log
import java.util.concurrent.Executors
import org.json.JSONArray
import org.json.JSONObject

class TeaService : Service() {
    // One request after the other; the service may stop only after the last one.
    private val worker = Executors.newSingleThreadExecutor()
    private var cups = 0

    override fun onBind(intent: Intent?): IBinder? = null

    override fun onStartCommand(intent: Intent?, flags: Int, startId: Int): Int {
        val callback = intent?.let(::callbackOf)
        val text = intent?.getStringExtra("mobile-mcp-request")
        worker.execute {
            try {
                val reply = Intent().putExtra("mobile-mcp-response", answer(text))
                callback?.send(this, 0, reply)
            } catch (gone: PendingIntent.CanceledException) {
                Log.w("TeaService", "Nobody waits for the answer any more", gone)
            } finally {
                stopSelf(startId)
            }
        }
        return START_NOT_STICKY
    }

    override fun onDestroy() {
        worker.shutdown()
        super.onDestroy()
    }

    @Suppress("DEPRECATION")
    private fun callbackOf(intent: Intent): PendingIntent? =
        if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.TIRAMISU) {
            intent.getParcelableExtra("mcp_callback", PendingIntent::class.java)
        } else {
            intent.getParcelableExtra("mcp_callback")
        }

    private fun answer(text: String?): String {
        var id = ""
        var name: String? = null
        return try {
            val envelope = JSONObject(text.orEmpty()).getJSONObject("mobile-mcp-request")
            val request = envelope.getJSONObject("request")
            id = request.getString("id")
            val capability = request.getJSONObject("capability")
            name = capability.getString("id")
            val version = envelope.optString("version")
            require(version == "1.0") { "Version $version is not known here; 1.0 is." }
            val arguments = capability.optJSONObject("args") ?: JSONObject()
            when (name) {
                "brew_tea" -> response(id, "success", "The tea is ready.", name, brew(arguments))
                else -> response(id, "failure", "Unknown capability ID: $name", name)
            }
        } catch (problem: Exception) {
            // Whatever happened: an agent that gets no answer waits in vain.
            response(id, "failure", problem.message ?: problem.javaClass.simpleName, name)
        }
    }

    private fun brew(arguments: JSONObject): JSONArray {
        require(arguments.has("minutes")) { "Missing required parameter: 'minutes'" }
        val minutes = arguments.get("minutes") as? Int
        require(minutes != null && minutes in 1..10) { "minutes is a whole number from 1 to 10." }
        cups += 1
        return JSONArray().put(
            JSONObject().put("name", "cups").put("type", "int").put("value", cups)
        )
    }

    private fun response(
        id: String,
        status: String,
        message: String,
        capability: String? = null,
        output: JSONArray? = null,
    ): String {
        val response = JSONObject().put("id", id).put("status", status).put("message", message)
        if (capability != null) {
            response.put("capability", JSONObject().put("id", capability).put("output", output))
        }
        val envelope = JSONObject().put("version", "1.0").put("response", response)
        return JSONObject().put("mobile-mcp-response", envelope).toString()
    }
}
