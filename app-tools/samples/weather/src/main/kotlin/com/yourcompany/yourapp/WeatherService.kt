package com.yourcompany.yourapp

/** What the provider calls: the weather of this sample is the same everywhere and every day. */
internal class WeatherService {
    fun getForecast(location: String, days: Int): Forecast {
        require(days in 1..7) { "days is a number from 1 to 7." }
        return Forecast(location, List(days) { "sunny" })
    }
}

internal data class Forecast(val location: String, val days: List<String>)

internal val weatherService = WeatherService()
