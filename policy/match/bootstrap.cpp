#include "policy/match/bootstrap.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>

#include <fmt/format.h>

namespace reaper::policy {

namespace {

// Those of Hermes have up to 1,500 bytes.
constexpr std::size_t kLongestScript = 16 * 1024;
// By which a launcher of Hermes runs another module than its own.
constexpr std::string_view kModuleOption = "--run-module";

struct Token {
    enum class Sort { name, text, sign, end_of_statement };
    Sort sort = Sort::sign;
    std::string value;  // of a text: what it means; empty for one with a prefix or a rare escape
    bool plain = true;  // a text whose value is known

    [[nodiscard]] bool is(std::string_view code) const {
        return (sort == Sort::name || sort == Sort::sign) && value == code;
    }
};
using Tokens = std::span<const Token>;

bool is_name_letter(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '.';
}

// Splits Python into tokens. A dotted name is one token. None: a text does not end, or has three
// quotes.
class Lexer {
   public:
    explicit Lexer(std::string_view rest) : rest_(rest) {}

    std::optional<std::vector<Token>> read() {
        std::vector<Token> tokens;
        while (!rest_.empty()) {
            if (!read_one(tokens)) return std::nullopt;
        }
        tokens.push_back({Token::Sort::end_of_statement, {}});
        return tokens;
    }

   private:
    bool read_one(std::vector<Token>& tokens) {
        const char letter = rest_.front();
        if (letter == '\'' || letter == '"') return read_text(tokens, /*plain=*/true);
        if (is_name_letter(letter)) return read_name(tokens);
        rest_.remove_prefix(1);
        if (letter == '#') {
            rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
        } else if (letter == '\n' || letter == ';') {
            tokens.push_back({Token::Sort::end_of_statement, {}});
        } else if (letter != ' ' && letter != '\t' && letter != '\r') {
            tokens.push_back({Token::Sort::sign, std::string(1, letter)});
        }
        return true;
    }

    // A name that ends at a quote is the prefix of a text: r'...'
    bool read_name(std::vector<Token>& tokens) {
        const auto end = std::ranges::find_if_not(rest_, is_name_letter);
        const std::string_view name(rest_.begin(), end);
        rest_.remove_prefix(name.size());
        if (rest_.starts_with('\'') || rest_.starts_with('"')) return read_text(tokens, false);
        tokens.push_back({Token::Sort::name, std::string(name)});
        return true;
    }

    bool read_text(std::vector<Token>& tokens, bool plain) {
        const char quote = rest_.front();
        if (rest_.starts_with(std::string(3, quote))) return false;
        rest_.remove_prefix(1);
        Token text{Token::Sort::text, {}, plain};
        while (!rest_.empty() && rest_.front() != quote) {
            if (rest_.front() == '\n') return false;
            const bool escaped = rest_.front() == '\\';
            if (escaped) rest_.remove_prefix(1);
            if (rest_.empty()) return false;
            const bool ends_line = escaped && rest_.front() == 'n';
            // Other escapes stand for letters that no path of Hermes has.
            if (escaped && std::string_view("\\'\"n").find(rest_.front()) == std::string_view::npos)
                text.plain = false;
            text.value += ends_line ? '\n' : rest_.front();
            rest_.remove_prefix(1);
        }
        if (rest_.empty()) return false;
        rest_.remove_prefix(1);
        tokens.push_back(std::move(text));
        return true;
    }

    std::string_view rest_;
};

bool begins_with(Tokens tokens, std::initializer_list<std::string_view> code) {
    if (tokens.size() < code.size()) return false;
    return std::equal(code.begin(), code.end(), tokens.begin(),
                      [](std::string_view wanted, const Token& token) { return token.is(wanted); });
}

bool is_module(std::string_view name) {
    return name.size() <= 100 && std::ranges::all_of(name, is_name_letter);
}

// Quotes and line ends would need escapes in plain_script().
bool is_path(std::string_view path) {
    return path.starts_with('/') && path.find_first_of("'\"\\\n") == std::string_view::npos;
}

bool is_plain_text(const Token& token) {
    return token.sort == Token::Sort::text && token.plain && !token.value.empty();
}

// Reads "['a', 'b']" from the tokens after "=". None: it is empty, or has anything but texts.
std::optional<std::vector<std::string>> literal_list(Tokens tokens) {
    std::vector<std::string> values;
    if (!begins_with(tokens, {"["})) return std::nullopt;
    for (tokens = tokens.subspan(1); tokens.size() >= 2; tokens = tokens.subspan(2)) {
        if (tokens[0].is("]")) break;  // after a last comma
        if (!is_plain_text(tokens[0])) return std::nullopt;
        values.push_back(tokens[0].value);
        if (tokens[1].is("]")) return values;
        if (!tokens[1].is(",")) return std::nullopt;
    }
    return values.empty() || tokens.empty() || !tokens[0].is("]") ? std::nullopt
                                                                  : std::optional(values);
}

// Matches "site.addsitedir(os.environ['HERMES_SITE'])", which a bundle's launcher has instead of an
// import of hermes_bootstrap.
bool is_path_of_bundle(Tokens statement) {
    return statement.size() > 4 &&
           begins_with(statement, {"site.addsitedir", "(", "os.environ", "["}) &&
           is_plain_text(statement[4]) && statement[4].value == "HERMES_SITE";
}

// Matches "if sys.argv[1:2] == ['--run-module']:", which a bundle's launcher does not have.
bool asks_for_module(Tokens statement) {
    return begins_with(statement, {"if", "sys.argv"}) &&
           std::ranges::find(statement, kModuleOption, &Token::value) != statement.end();
}

// What the statements of a script say, one after the other.
class ScriptReader {
   public:
    void take(Tokens statement) {
        if (begins_with(statement, {"import", "hermes_bootstrap"})) is_marked_ = true;
        if (begins_with(statement, {"sys.path.insert", "("})) is_marked_ = true;
        if (begins_with(statement, {"sys.path", "["})) is_marked_ = true;
        if (begins_with(statement, {"from", "pm.environments", "import"})) is_marked_ = true;
        if (is_path_of_bundle(statement)) is_marked_ = true;
        if (asks_for_module(statement)) takes_module_ = true;
        if (begins_with(statement, {"sys.argv", "="})) take_argv(statement.subspan(2));
        if (begins_with(statement, {"from"}) && statement.size() == 4 && statement[2].is("import"))
            imports_.push_back({statement[1].value, statement[3].value});
        take_home(statement);
        take_entry(statement);
        take_inner(statement);
    }

    // `words`: what follows the script.
    [[nodiscard]] std::optional<Bootstrap> bootstrap(std::span<const std::string> words) const {
        if (!is_marked_ || is_computed_) return std::nullopt;
        if (argv_) words = std::span(*argv_).subspan(1);
        if (entry_.empty()) return inner_.empty() ? std::nullopt : read_bootstrap(inner_, words);
        Bootstrap bootstrap{entry_, home_};
        const bool names_module = takes_module_ && words.size() > 1 && words[0] == kModuleOption;
        if (names_module) bootstrap.words = {"-m", words[1]};
        bootstrap.words.insert(bootstrap.words.end(), words.begin() + (names_module ? 2 : 0),
                               words.end());
        return bootstrap;
    }

   private:
    struct Import {
        std::string module;
        std::string function;
    };

    void take_argv(Tokens value) {
        argv_ = literal_list(value);
        is_marked_ = is_marked_ || argv_.has_value();
        is_computed_ = !argv_;
    }

    // os.environ['HERMES_HOME'] = os.environ.get('HERMES_HOME') or '/home/u/.hermes'
    void take_home(Tokens statement) {
        if (!begins_with(statement, {"os.environ", "["}) || statement.size() < 6) return;
        if (statement[2].value != "HERMES_HOME" || !is_plain_text(statement.back())) return;
        if (statement[statement.size() - 2].is("or") && is_path(statement.back().value))
            home_ = statement.back().value;
    }

    // The last one counts: a launcher has another one for `--run-module`, whose module is no text.
    void take_entry(Tokens statement) {
        const bool has_text = statement.size() > 2 && is_plain_text(statement[2]);
        if (has_text && begins_with(statement, {"runpy.run_module", "("}) &&
            is_module(statement[2].value))
            entry_ = {"-m", statement[2].value};
        if (has_text && begins_with(statement, {"runpy.run_path", "("}) &&
            is_path(statement[2].value))
            entry_ = {statement[2].value};
        if (statement.size() != 6 || !begins_with(statement, {"sys.exit", "("})) return;
        const auto found = std::ranges::find(imports_, statement[2].value, &Import::function);
        if (found == imports_.end()) return;
        entry_ = {"-m", found->module};
    }

    // exec('...'), by which a launcher is run again under another interpreter. The text is shorter
    // than the script, which bounds how often one can be inside of another.
    void take_inner(Tokens statement) {
        if (statement.size() != 4 || !begins_with(statement, {"exec", "("})) return;
        if (is_plain_text(statement[2]) && statement[3].is(")")) inner_ = statement[2].value;
    }

    bool is_marked_ = false;
    bool takes_module_ = false;
    bool is_computed_ = false;  // sys.argv is assigned something that is no literal
    std::optional<std::vector<std::string>> argv_;
    std::vector<Import> imports_;
    std::vector<std::string> entry_;
    std::string inner_;  // a script that this one runs in its own process
    std::string home_;
};

}  // namespace

std::optional<Bootstrap> read_bootstrap(std::string_view script,
                                        std::span<const std::string> words) {
    const bool may_be_one = script.size() <= kLongestScript &&
                            (script.find("runpy") != std::string_view::npos ||
                             script.find("hermes_bootstrap") != std::string_view::npos ||
                             script.find("HERMES_SITE") != std::string_view::npos);
    if (!may_be_one) return std::nullopt;
    const auto tokens = Lexer(script).read();
    if (!tokens) return std::nullopt;
    ScriptReader reader;
    for (Tokens rest = *tokens; !rest.empty();) {
        const auto end = std::ranges::find(rest, Token::Sort::end_of_statement, &Token::sort);
        const auto length = static_cast<std::size_t>(end - rest.begin());
        reader.take(rest.first(length));
        rest = rest.subspan(length + 1);
    }
    return reader.bootstrap(words);
}

std::string plain_script(const Bootstrap& bootstrap) {
    const bool is_module = bootstrap.words.size() > 1 && bootstrap.words[0] == "-m";
    const std::string_view entry = is_module ? bootstrap.words[1] : bootstrap.words.at(0);
    const std::string home =
        bootstrap.home.empty()
            ? std::string()
            : fmt::format("os.environ['HERMES_HOME'] = os.environ.get('HERMES_HOME') or '{}'; ",
                          bootstrap.home);
    return fmt::format("{}import hermes_bootstrap; runpy.run_{}('{}')", home,
                       is_module ? "module" : "path", entry);
}

}  // namespace reaper::policy
