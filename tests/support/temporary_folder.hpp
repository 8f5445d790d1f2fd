// A folder of one's own, gone with the object.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace reaper::test {

class TemporaryFolder {
   public:
    TemporaryFolder() : path_((std::filesystem::temp_directory_path() / "folder.XXXXXX").string()) {
        if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot make " + path_);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::string operator/(const std::string& name) const {
        return path_ + "/" + name;
    }

    // Folders on the way are made.
    void write(const std::string& name, const std::string& bytes) const {
        std::filesystem::create_directories(std::filesystem::path(*this / name).parent_path());
        std::ofstream(*this / name, std::ios::binary) << bytes;
    }
    void link(const std::string& name, const std::string& target) const {
        std::filesystem::create_symlink(target, *this / name);
    }
    void fifo(const std::string& name) const {
        if (::mkfifo((*this / name).c_str(), 0600) != 0)
            throw std::runtime_error("cannot make a FIFO " + name);
    }
    void remove(const std::string& name) const { std::filesystem::remove_all(*this / name); }

   private:
    std::string path_;
};

}  // namespace reaper::test
