package com.android.server.appfunctions;

import android.app.appfunctions.AppFunctionException;
import android.app.appfunctions.ExecuteAppFunctionAidlRequest;
import android.app.appfunctions.ExecuteAppFunctionResponse;
import android.app.appfunctions.IAppFunctionManager;
import android.app.appfunctions.IExecuteAppFunctionCallback;
import android.app.appsearch.GenericDocument;
import android.app.appsearch.SearchResult;
import android.content.ContextWrapper;
import android.content.Context;
import android.os.Binder;
import android.os.ICancellationSignal;
import android.os.UserHandle;

import org.json.JSONArray;
import org.json.JSONObject;

import java.io.BufferedReader;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Array;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs Android's own app-function command. Each line of standard input is a case: its words, and
 * what the app answers; each line of standard output is what the command printed and what the app
 * got.
 */
public final class AppFunctionJudge {
    private static JSONObject asked;
    private static JSONObject got;

    private AppFunctionJudge() {}

    public static void main(String[] words) throws Exception {
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream replies = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        String line;
        while ((line = lines.readLine()) != null) {
            replies.println(run(new JSONObject(line)));
        }
    }

    private static JSONObject run(JSONObject given) throws Exception {
        asked = given;
        got = null;
        AppFunctionDumpHelper.found = listed(given.optJSONObject("listed"));
        JSONArray words = given.getJSONArray("words");
        String[] arguments = new String[words.length()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = words.getString(i);
        }
        File out = File.createTempFile("judge", ".out");
        File err = File.createTempFile("judge", ".err");
        int code;
        try (FileInputStream in = new FileInputStream("/dev/null");
                FileOutputStream first = new FileOutputStream(out);
                FileOutputStream second = new FileOutputStream(err)) {
            Context context =
                    new ContextWrapper(null) {
                        @Override
                        public Context createContextAsUser(UserHandle user, int flags) {
                            return this;
                        }
                    };
            code =
                    new AppFunctionManagerServiceShellCommand(context, service())
                            .exec(
                                    new Binder(),
                                    in.getFD(),
                                    first.getFD(),
                                    second.getFD(),
                                    arguments,
                                    null,
                                    null);
        }
        JSONObject said = new JSONObject();
        said.put("code", code & 0xff);
        said.put("out", Files.readString(out.toPath()));
        said.put("err", firstLines(Files.readString(err.toPath())));
        said.put("got", got == null ? JSONObject.NULL : got);
        out.delete();
        err.delete();
        return said;
    }

    /** Without the trace of an exception. */
    private static String firstLines(String text) {
        return text.lines().filter(line -> !line.startsWith("\tat ")).limit(5)
                .reduce("", (before, line) -> before + line + "\n");
    }

    private static IAppFunctionManager service() {
        return (IAppFunctionManager)
                Proxy.newProxyInstance(
                        AppFunctionJudge.class.getClassLoader(),
                        new Class<?>[] {IAppFunctionManager.class},
                        (self, method, given) -> {
                            if (!method.getName().equals("executeAppFunction")) {
                                throw new UnsupportedOperationException(method.getName());
                            }
                            return execute(
                                    (ExecuteAppFunctionAidlRequest) given[0],
                                    (IExecuteAppFunctionCallback) given[1]);
                        });
    }

    private static ICancellationSignal execute(
            ExecuteAppFunctionAidlRequest request, IExecuteAppFunctionCallback callback)
            throws Exception {
        got = describe(request.getClientRequest().getParameters());
        if (asked.has("error")) {
            JSONArray error = asked.getJSONArray("error");
            String message = error.isNull(1) ? null : error.getString(1);
            callback.onError(new AppFunctionException(error.getInt(0), message));
        } else if (asked.has("result")) {
            callback.onSuccess(
                    new ExecuteAppFunctionResponse(document(asked.getJSONObject("result"))));
        }
        return (ICancellationSignal)
                Proxy.newProxyInstance(
                        AppFunctionJudge.class.getClassLoader(),
                        new Class<?>[] {ICancellationSignal.class},
                        (self, method, given) -> null);
    }

    private static Map<String, List<SearchResult>> listed(JSONObject packages) throws Exception {
        Map<String, List<SearchResult>> found = new LinkedHashMap<>();
        if (packages == null) {
            return found;
        }
        for (Iterator<String> names = packages.keys(); names.hasNext(); ) {
            String name = names.next();
            List<SearchResult> results = new ArrayList<>();
            JSONArray given = packages.getJSONArray(name);
            for (int i = 0; i < given.length(); i++) {
                results.add(result(given.getJSONObject(i)));
            }
            found.put(name, results);
        }
        return found;
    }

    private static SearchResult result(JSONObject given) throws Exception {
        SearchResult.Builder made =
                new SearchResult.Builder("android", "db")
                        .setGenericDocument(document(given.getJSONObject("document")));
        if (given.has("joined")) {
            made.addJoinedResult(result(given.getJSONObject("joined")));
        }
        return made.build();
    }

    /** From `{"type": …, "properties": {NAME: {"kind": "double", "values": […]}}}`. */
    private static GenericDocument document(JSONObject given) throws Exception {
        GenericDocument.Builder<?> made =
                new GenericDocument.Builder<>("", "", given.optString("type", ""));
        JSONObject properties = given.getJSONObject("properties");
        for (Iterator<String> names = properties.keys(); names.hasNext(); ) {
            String name = names.next();
            JSONObject property = properties.getJSONObject(name);
            JSONArray values = property.getJSONArray("values");
            int count = values.length();
            switch (property.getString("kind")) {
                case "string" -> {
                    String[] held = new String[count];
                    for (int i = 0; i < count; i++) held[i] = values.getString(i);
                    made.setPropertyString(name, held);
                }
                case "long" -> {
                    long[] held = new long[count];
                    for (int i = 0; i < count; i++) held[i] = values.getLong(i);
                    made.setPropertyLong(name, held);
                }
                case "double" -> {
                    double[] held = new double[count];
                    for (int i = 0; i < count; i++) held[i] = values.getDouble(i);
                    made.setPropertyDouble(name, held);
                }
                case "boolean" -> {
                    boolean[] held = new boolean[count];
                    for (int i = 0; i < count; i++) held[i] = values.getBoolean(i);
                    made.setPropertyBoolean(name, held);
                }
                default -> {
                    GenericDocument[] held = new GenericDocument[count];
                    for (int i = 0; i < count; i++) held[i] = document(values.getJSONObject(i));
                    made.setPropertyDocument(name, held);
                }
            }
        }
        return made.build();
    }

    private static JSONObject describe(GenericDocument document) throws Exception {
        JSONObject properties = new JSONObject();
        for (String name : document.getPropertyNames()) {
            Object held = document.getProperty(name);
            JSONArray values = new JSONArray();
            for (int i = 0; i < Array.getLength(held); i++) {
                Object value = Array.get(held, i);
                // As text, since JSON does not tell a whole double from a long.
                values.put(
                        value instanceof GenericDocument inner
                                ? describe(inner)
                                : value instanceof String ? value : String.valueOf(value));
            }
            String kind = held.getClass().getComponentType().getSimpleName().toLowerCase();
            JSONObject property = new JSONObject();
            property.put("kind", kind.equals("genericdocument") ? "document" : kind);
            property.put("values", values);
            properties.put(name, property);
        }
        JSONObject described = new JSONObject();
        described.put("type", document.getSchemaType());
        described.put("properties", properties);
        return described;
    }
}
