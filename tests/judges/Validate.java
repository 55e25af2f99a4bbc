import java.io.File;
import javax.xml.XMLConstants;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.Schema;
import javax.xml.validation.SchemaFactory;
import org.xml.sax.SAXException;

/** Prints for each file, in a line, "valid" or what the XML schema (the first argument) forbids. */
class Validate {
    public static void main(String[] files) throws Exception {
        SchemaFactory factory = SchemaFactory.newInstance(XMLConstants.W3C_XML_SCHEMA_NS_URI);
        Schema schema = factory.newSchema(new File(files[0]));
        for (int at = 1; at < files.length; at++) {
            try {
                schema.newValidator().validate(new StreamSource(new File(files[at])));
                System.out.println("valid");
            } catch (SAXException problem) {
                System.out.println(problem.getMessage().replaceAll("\\s+", " "));
            }
        }
    }
}
