package dev.handheld.apptools;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/**
 * Writes the files in which an APK declares its tools, from the tools themselves. Runs on the
 * computer that builds the app:
 *
 * <pre>
 * java -cp CLASSES dev.handheld.apptools.Declarations capabilities \
 *     org.example.tea.TeaTools.SERVICE src/main/res/xml/mcp_capabilities.xml
 * java -cp CLASSES dev.handheld.apptools.Declarations functions \
 *     org.example.tea.TeaTools.FUNCTIONS org.example.tea.TeaFunctions src/main/assets
 * </pre>
 *
 * <p>The second word names a static field with the {@link Tools}. Loading its class must not need
 * Android, of which there is none on that computer.
 */
public final class Declarations {
    static final String MESSAGE = "message";
    private static final String HEAD = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n";
    private static final String FUNCTIONS_FILE = "app_functions_v2.xml";
    private static final String SCHEMA_FILE = "app_functions_schema.xsd";

    // Android's numbers for kinds of data.
    private static final int BOOLEAN = 1;
    private static final int OBJECT = 3;
    private static final int DOUBLE = 4;
    private static final int LONG = 6;
    private static final int STRING = 8;

    private Declarations() {}

    public static void main(String[] words) throws Exception {
        if (words.length == 3 && words[0].equals("capabilities")) {
            write(Paths.get(words[2]), capabilities(field(words[1])));
        } else if (words.length == 4 && words[0].equals("functions")) {
            Path folder = Paths.get(words[3]);
            write(folder.resolve(FUNCTIONS_FILE), functions(field(words[1]), words[2]));
            write(folder.resolve(SCHEMA_FILE), functionSchema());
        } else {
            System.err.println(
                    "capabilities CLASS.FIELD FILE, or functions CLASS.FIELD SERVICE FOLDER");
            System.exit(2);
        }
    }

    private static Tools field(String name) throws ReflectiveOperationException {
        int dot = name.lastIndexOf('.');
        Field field = Class.forName(name.substring(0, dot)).getDeclaredField(name.substring(dot + 1));
        field.setAccessible(true);
        return (Tools) field.get(null);
    }

    private static void write(Path file, String text) throws IOException {
        if (file.getParent() != null) {
            Files.createDirectories(file.getParent());
        }
        Files.write(file, text.getBytes(StandardCharsets.UTF_8));
    }

    /** The capability descriptor of a {@link ToolService}. */
    public static String capabilities(Tools tools) {
        StringBuilder xml = new StringBuilder(HEAD);
        xml.append("<mobile-mcp-capabilities version=\"1.0\">\n");
        for (Tool one : tools.all) {
            xml.append("    <capability").append(attribute("id", one.name));
            xml.append(attribute("description", one.told())).append(" version=\"1\">\n");
            if (!one.parameters.isEmpty()) {
                xml.append("        <input>\n");
                for (Parameter parameter : one.parameters) {
                    parameter(xml, parameter, attribute("required", "" + parameter.required));
                }
                xml.append("        </input>\n");
            }
            if (!one.results.isEmpty()) {
                xml.append("        <output>\n");
                for (Parameter result : one.results) {
                    parameter(xml, result, "");
                }
                xml.append("        </output>\n");
            }
            xml.append("    </capability>\n");
        }
        return xml.append("</mobile-mcp-capabilities>\n").toString();
    }

    private static void parameter(StringBuilder xml, Parameter parameter, String required) {
        xml.append("            <param").append(attribute("name", parameter.name));
        xml.append(attribute("type", parameter.type.word)).append(required);
        xml.append(attribute("description", parameter.description)).append(" />\n");
    }

    /**
     * The file with the functions of a {@link ToolFunctions}.
     *
     * @param service the name of that class
     */
    public static String functions(Tools tools, String service) {
        StringBuilder xml = new StringBuilder(HEAD).append("<appfunctions>\n");
        for (Tool one : tools.all) {
            String id = service + "#" + one.name;
            xml.append("<appfunction>\n").append(element("id", id));
            xml.append(element("enabledByDefault", "true"));
            xml.append(element("description", one.told()));
            for (Parameter parameter : one.parameters) {
                xml.append("<parameters>\n");
                type(xml, "dataTypeMetadata", kind(parameter.type), !parameter.required, "");
                xml.append(element("id", "unused"));
                xml.append(element("isRequired", "" + parameter.required));
                xml.append(element("name", parameter.name));
                xml.append(element("description", told(parameter)));
                xml.append("</parameters>\n");
            }
            xml.append("<response>\n").append(element("id", "unused"));
            type(
                    xml,
                    "valueType",
                    one.results.isEmpty() ? STRING : OBJECT,
                    false,
                    one.results.isEmpty() ? "" : properties(one, resultType(service, one)));
            xml.append("</response>\n").append(element("functionId", id));
            xml.append("</appfunction>\n");
        }
        return xml.append("</appfunctions>\n").toString();
    }

    static String resultType(String service, Tool tool) {
        return service + "." + tool.name + "Result";
    }

    private static String properties(Tool tool, String name) {
        StringBuilder xml = new StringBuilder(element("objectQualifiedName", name));
        property(xml, MESSAGE, STRING, "What was done");
        for (Parameter one : tool.results) {
            if (one.name.equals(MESSAGE)) {
                throw new IllegalArgumentException(
                        tool.name + " returns a value message, as functions do anyway.");
            }
            property(xml, one.name, kind(one.type), told(one));
        }
        return xml.append(element("required", MESSAGE)).toString();
    }

    private static void property(StringBuilder xml, String name, int kind, String description) {
        xml.append("<properties>\n");
        type(xml, "dataTypeMetadata", kind, false, element("description", description));
        xml.append(element("id", "unused")).append(element("name", name));
        xml.append("</properties>\n");
    }

    private static void type(
            StringBuilder xml, String tag, int kind, boolean nullable, String more) {
        xml.append('<').append(tag).append(">\n").append(element("id", "unused"));
        xml.append(element("isNullable", "" + nullable)).append(more);
        xml.append(element("type", "" + kind)).append("</").append(tag).append(">\n");
    }

    private static int kind(Type type) {
        switch (type) {
            case BOOLEAN:
                return BOOLEAN;
            case INTEGER:
                return LONG;
            case NUMBER:
                return DOUBLE;
            default:
                return STRING;
        }
    }

    private static String told(Parameter parameter) {
        switch (parameter.type) {
            case ARRAY:
                return parameter.description + " (a JSON array)";
            case OBJECT:
                return parameter.description + " (a JSON object)";
            default:
                return parameter.description;
        }
    }

    /** The common parts of the documents in the functions' file, the same for every app. */
    static String functionSchema() {
        String data = "appfn:AppFunctionDataTypeMetadataDocument";
        String named = "appfn:AppFunctionNamedDataTypeMetadataDocument";
        String text = "xs:string";
        String flag = "xs:boolean";
        String indexed = "\" indexingType=\"1\" tokenizerType=\"2";
        String joined = "\" joinableValueType=\"1";
        // Cardinality: 1 is any number, 2 at most one, 3 exactly one.
        String[][] documents = {
            {
                "AppFunctionNamedDataTypeMetadataDocument",
                "name 2 " + text,
                "dataTypeMetadata 2 " + data
            },
            {
                "AppFunctionDataTypeMetadataDocument",
                "type 3 xs:long",
                "itemType 2 " + data,
                "properties 1 " + named,
                "allOf 1 " + data,
                "oneOf 1 " + data,
                "required 1 " + text,
                "dataTypeReference 2 " + text,
                "isNullable 2 " + flag,
                "objectQualifiedName 2 " + text,
                "description 2 " + text,
                "enumValues 1 " + text
            },
            {
                "AppFunctionParameterMetadataDocument",
                "name 2 " + text,
                "isRequired 2 " + flag,
                "dataTypeMetadata 2 " + data,
                "description 2 " + text
            },
            {
                "AppFunctionResponseMetadataDocument",
                "isNullable 2 " + flag,
                "valueType 2 " + data,
                "description 2 " + text
            },
            {"AppFunctionDeprecationMetadataDocument", "message 2 " + text},
            {
                "AppFunctionComponentMetadataDocument",
                "dataTypes 1 " + named,
                "mobileApplicationQualifiedId 2 " + text + joined,
                "packageName 2 " + text + indexed
            },
            {
                "AppFunctionStaticMetadata",
                "functionId 2 " + text + indexed,
                "packageName 2 " + text + indexed,
                "schemaName 2 " + text + indexed,
                "schemaVersion 2 xs:long\" indexingType=\"1",
                "schemaCategory 2 " + text + indexed,
                "enabledByDefault 2 " + flag,
                "restrictCallersWithExecuteAppFunctions 2 " + flag,
                "displayNameStringRes 2 xs:long",
                "mobileApplicationQualifiedId 2 " + text + joined,
                "description 2 " + text,
                "parameters 1 appfn:AppFunctionParameterMetadataDocument",
                "response 2 appfn:AppFunctionResponseMetadataDocument",
                "deprecation 2 appfn:AppFunctionDeprecationMetadataDocument"
            }
        };
        StringBuilder xml = new StringBuilder(HEAD);
        xml.append("<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\">\n");
        for (String[] document : documents) {
            xml.append("    <xs:documentType name=\"").append(document[0]).append("\">\n");
            for (int one = 1; one < document.length; one++) {
                String[] words = document[one].split(" ", 3);
                xml.append("        <xs:element name=\"").append(words[0]);
                xml.append("\" cardinality=\"").append(words[1]);
                xml.append("\" type=\"").append(words[2]).append("\" />\n");
            }
            xml.append("    </xs:documentType>\n");
        }
        return xml.append("</xs:schema>\n").toString();
    }

    private static String element(String tag, String text) {
        return "<" + tag + ">" + escape(text) + "</" + tag + ">\n";
    }

    private static String attribute(String name, String value) {
        return " " + name + "=\"" + escape(value) + "\"";
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("\n", "&#10;");
    }
}
