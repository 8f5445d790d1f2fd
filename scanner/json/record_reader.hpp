// Reads ledgers and registries as a stream, as a hostile one may be as large as possible.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "scanner/json/stream.hpp"
#include "scanner/parse/claim_text.hpp"

namespace reaper::scanner {

// Limits: what upstream can produce, with a margin. It removes ended processes whenever it writes a
// ledger or registry (a process registry has 64 entries at most), so there are no more entries than
// processes of Hermes. An entry takes 200 to 700 bytes and a dozen fields, nested as a list in an
// object in a list. Much more than that would be 20,000 entries.
inline constexpr std::size_t kMostRecordBytes = 16 * 1024 * 1024UL;
inline constexpr std::size_t kMostEntries = 65536;
inline constexpr std::size_t kMostTokens = 16 * kMostEntries;  // names, values and brackets
inline constexpr std::size_t kMostKept = 8192;   // of different entries whose processes are alive
inline constexpr std::size_t kMostOfOnePid = 4;  // of these, for one pid; upstream has one

enum class RecordForm { ledger, headless_registry, process_registry };

// Collects the entries of one file, equal ones once, sorted by pid. Keeps only the fields that
// matter.
class RecordReader : public json::TokenTaker {
   public:
    // `living`: the pids that exist, sorted; must outlive this. Entries of other pids are skipped.
    // Null: all entries are kept.
    RecordReader(RecordForm form, const std::vector<Pid>* living);

    // invalid_argument: not in its form. file_too_large: above one of these limits.
    [[nodiscard]] Result<void> feed(std::string_view piece);
    [[nodiscard]] Result<Ledger> finish();

    [[nodiscard]] bool take(const json::Token& token) override;

   private:
    enum class Field {
        none,
        pid,
        spawner,
        start_epoch,
        spawner_start_epoch,
        recorded_start,
        spawner_recorded_start,
        scope
    };
    struct Name {
        std::string_view text;
        Field field;
    };

    [[nodiscard]] bool open(bool object);
    [[nodiscard]] bool close();
    void begin_entry(bool object);
    [[nodiscard]] bool end_entry();
    void take_key(const json::Token& token);
    void take_field(const json::Token& token);
    [[nodiscard]] bool understand(const json::Token& token);
    [[nodiscard]] bool keep();
    [[nodiscard]] bool compact();
    [[nodiscard]] Result<void> checked(Result<void> result) const;

    RecordForm form_;
    const std::vector<Pid>* living_;
    json::Stream stream_;
    std::size_t depth_ = 0;
    std::size_t list_depth_;   // depth of the list of entries
    bool list_comes_ = false;  // the last key was that of the list
    bool in_list_ = false;
    bool had_list_ = false;
    bool in_entry_ = false;
    std::size_t count_ = 0;
    std::size_t tokens_ = 0;
    bool too_many_ = false;
    Ledger ledger_;
    // State of the entry that is being read.
    LedgerEntry entry_;
    Field field_ = Field::none;
    unsigned seen_ = 0;
    bool good_ = true;
    bool of_host_ = false;
    bool scope_clear_ = true;
};

}  // namespace reaper::scanner
